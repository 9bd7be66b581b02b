/* A function that is declared inactive and is not, below another; a checkpointed loop.
   check-right: -DDEPENDS=0
   check-compares: x (1), the result (1)
   check-compares: u (6), y (1)
   check-notes: memory of 'x' is also passed as the constant 'w'
   check-blames: -DDEPENDS=1 | 'lies', defined at | inactive.c:10, is wrong | tangent and differences disagree: the derivative of the result */
#include <ad.h>
#include <math.h>
#include <stdio.h>
__attribute__((annotate("ad_inactive"), noinline)) static double lies(double x) { return DEPENDS ? sin(x) : 2; }
static double below(double x) { return lies(x) * x; }
static double top(double x) { return below(x) + x * x; }
double __ad_adjoint_top(void *, ...);

static void march(double *u, double *y, int n, int steps) {
    ad_checkpoint_state(u, n * sizeof *u);
    for (int t = 0; t < steps; t++) {
        ad_checkpoint_loop(3);
        for (int i = 1; i < n; i++) u[i] += 0.1 * u[i] * u[i - 1];
    }
    *y = 0;
    for (int i = 0; i < n; i++) *y += u[i];
}
void __ad_adjoint_march(void *, ...);

/* One array, active and constant. */
static double product(const double *x, const double *w, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * w[i];
    return s;
}
void __ad_adjoint_product(void *, ...);

/* Parts of it are computed with float. */
static double mixed(double x) { return (double)((float)x * 1.5f) * x; }
double __ad_adjoint_mixed(void *, ...);

int main(void) {
    printf("%g\n", __ad_adjoint_top((void *)top, 0.5));
    double u[6] = {1, 2, 3, 4, 5, 6}, ub[6] = {0}, y, yb = 1;
    __ad_adjoint_march((void *)march, u, ub, &y, &yb, 6, 4);
    printf("%g %g\n", y, ub[0]);
    double pb[6] = {0};
    __ad_adjoint_product((void *)product, u, pb, ad_const, u, 6);
    printf("%g\n", pb[1]);
    printf("%g\n", __ad_adjoint_mixed((void *)mixed, 0.7));
}
