/* A derivative of the user's own, three calls deep: its tangent is wrong, its adjoint, or both.
   check-right: -DTANGENT=3 -DADJOINT=3
   check-compares: x (8), r (2)
   check-blames: -DTANGENT=2 -DADJOINT=3 | 'leaf', defined at | deep.c:10, is wrong | deep.c:18:40: tangent and differences disagree
   check-blames: -DTANGENT=3 -DADJOINT=2 | 'leaf', defined at | deep.c:10, is wrong | deep.c:18:40: tangent and adjoint disagree, and differences confirm the tangent
   check-blames: -DTANGENT=2 -DADJOINT=2 | 'leaf', defined at | deep.c:10, is wrong | deep.c:18:40: tangent and differences disagree */
#include <ad.h>
#include <math.h>
#include <stdio.h>
static double leaf(double x) { return x * x * x; }
static double leaf_tangent(double x, double xd) { return TANGENT * x * x * xd; }
static double leaf_augmented(double x) { return leaf(x); }
static double leaf_reverse(double x, double yb) { return ADJOINT * x * x * yb; }
void *__ad_register_tangent_leaf[] = {(void *)leaf, (void *)leaf_tangent};
void *__ad_register_adjoint_leaf[] = {(void *)leaf, (void *)leaf_augmented, (void *)leaf_reverse};

__attribute__((noinline)) static void inner(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = leaf(x[i]) + sin(x[i]);
}
__attribute__((noinline)) static double middle(const double *x, int n) {
    double y[8], s = 0;
    inner(x, y, n);
    for (int i = 0; i < n; i++) s += y[i] * x[i];
    return s;
}
static void f(const double *x, double *r, int n) {
    r[0] = middle(x, n) * exp(-x[0]);
    r[1] = x[1];
}
void __ad_adjoint_f(void *, ...);

int main(void) {
    double x[8], xb[8] = {0}, r[2], rb[2] = {1, 0};
    for (int i = 0; i < 8; i++) x[i] = 0.3 + 0.2 * i;
    __ad_adjoint_f((void *)f, x, xb, r, rb, 8);
    for (int i = 0; i < 8; i++) printf("%g %g\n", x[i], xb[i]);
}
