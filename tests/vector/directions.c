/* A step of a stencil, in eight directions at once. Without the knowledge that shadows of different directions do not overlap, LLVM would test each of them against
 * all others when the program runs; those are too many tests, and the loop would stay scalar. */
#include <ad.h>

extern void __ad_tangent_eight(void *f, ...);
extern void __ad_adjoint_eight(void *f, ...);

static void step(long n, const double *restrict u, double *restrict next) {
    for (long i = 1; i < n - 1; i++) next[i] = u[i] - 0.1 * u[i] * (u[i + 1] - u[i - 1]) + 0.2 * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
}

void tangents(long n, const double *u, const double *ud, double *next, double *nextd) {
    __ad_tangent_eight((void *)step, ad_width, 8, n, ad_dupv, n * sizeof *ud, u, ud, ad_dupv, n * sizeof *ud, next, nextd);
}
void adjoints(long n, const double *u, double *ub, double *next, double *nextb) {
    __ad_adjoint_eight((void *)step, ad_width, 8, n, ad_dupv, n * sizeof *ub, u, ub, ad_dupv, n * sizeof *ub, next, nextb);
}
