// ad-library: left_over.c
// ad-link: -lm
/* What a library returns has reals where an earlier owner of the memory had addresses: they are no pointers, and nothing is beside them. */
#include "requests.h"

#include "lib/left_over.h"

static double by_program(const double *x) {
    box *b = lib_box(3);
    b->a = x[0] * x[1];
    b->b = sin(x[1]);
    double r = lib_box_sum(b);
    lib_box_free(b);
    return r;
}
AD_FUNCTIONAL(by_program)
static double by_both(const double *x) {
    box *b = lib_box(3);
    lib_box_set(b, x[0]);
    b->a = x[1];
    double r = lib_box_sum(b) + b->b * b->a;
    lib_box_free(b);
    return r;
}
AD_FUNCTIONAL(by_both)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(by_program, 2), CHECK_FUNCTIONAL(by_both, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 0.9);
    return check_done();
}
