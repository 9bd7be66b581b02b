// ad-library: arrays.c
// ad-link: -lm
/* The same blocks of the heap in other roles from one evaluation to the next: what was a primal is now a shadow. */
#include "requests.h"

enum { COUNT = 11 };
void loop_sum(const double *x, double *y, int n);
static void sum(const double *x, double *y) { loop_sum(x, y, COUNT); }
AD_MAP(sum)

int main(void) {
    double *x = check_alloc(COUNT), *xd = check_alloc(COUNT), *y = check_alloc(COUNT), *yd = check_alloc(COUNT);
    for (int i = 0; i < COUNT; i++) x[i] = i, xd[i] = 1;
    sum_tangent(x, xd, y, yd);
    check_close("dot", yd[0], COUNT * (COUNT - 1), 1e-15);
    /* x and its shadow change places, y and its shadow too. */
    sum_tangent(xd, x, yd, y);
    check_close("dot in the other roles", y[0], COUNT * (COUNT - 1), 1e-15);
    for (int i = 0; i < COUNT; i++) yd[i] = i == 0;
    for (int i = 0; i < COUNT; i++) xd[i] = 0;
    sum_adjoint(x, xd, y, yd);
    check_close("bar", xd[4], 8, 1e-15);
    return check_done();
}
