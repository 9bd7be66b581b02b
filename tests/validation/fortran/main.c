/* Fortran in several files: the link makes the derivatives.
   check-right: -DFACTOR=2
   check-compares: x (6), r (1)
   check-blames: -DFACTOR=3 | 'leaf', defined at | leaf.f90:1, is wrong | model.f90:10:7: tangent and adjoint disagree, and differences confirm the tangent */
#include <ad.h>
#include <math.h>
#include <stdio.h>
void leaf_(const double *x, double *y);
void model_(const double *x, double *r, const int *n);
static void leaf_tangent(const double *x, const double *xd, double *y, double *yd) {
    leaf_(x, y);
    *yd = (2 * *x + cos(*x)) * *xd;
}
static void leaf_augmented(const double *x, const double *xb, double *y, double *yb) {
    (void)xb, (void)yb;
    leaf_(x, y);
}
static void leaf_reverse(const double *x, double *xb, const double *y, double *yb) {
    (void)y;
    *xb += (FACTOR * *x + cos(*x)) * *yb;
    *yb = 0;
}
void *__ad_register_tangent_leaf[] = {(void *)leaf_, (void *)leaf_tangent};
void *__ad_register_adjoint_leaf[] = {(void *)leaf_, (void *)leaf_augmented, (void *)leaf_reverse};
void __ad_adjoint_model(void *, ...);

int main(void) {
    double x[6], xb[6] = {0}, r, rb = 1;
    int n = 6;
    for (int i = 0; i < n; i++) x[i] = 0.3 + 0.2 * i;
    __ad_adjoint_model((void *)model_, x, xb, &r, &rb, ad_const, &n);
    for (int i = 0; i < n; i++) printf("%g %g\n", xb[i], r);
}
