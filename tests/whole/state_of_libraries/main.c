/* Blocks that the program allocated before the request, in the hands of machine code. */
#include "../../c/ending.h"
#include "../../c/requests.h"
#include "model.h"

AD_FUNCTIONAL(model)

/* An argument that leads to such a block, and is constant. */
static void reach_twice(void *adjoint) {
    double x[COUNT] = {0.3, 0.5, 0.7, 0.9}, xd[COUNT] = {1.0}, *cells = grid->levels[0]->cells;
    if (adjoint) __ad_adjoint_void((void *)weigh, x, xd, ad_const, cells);
    else __ad_tangent_double((void *)weigh, x, xd, ad_const, cells);
}

int main(void) {
    const check_case c = CHECK_FUNCTIONAL(model, COUNT);
    make_grid();
    check_random_points(&c, 3, 0.2, 1.3);
    for (int adjoint = 0; adjoint < 2; adjoint++)
        check_ends("an argument that leads there", reach_twice, adjoint ? &adjoint : NULL, "AD222", "argument");
    return check_done();
}
