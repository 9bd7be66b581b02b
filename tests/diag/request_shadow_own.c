/* Shadows that are seen to be arguments: derivatives would overwrite them. A tangent may take x as its direction where it only reads it, and
 * what derivatives do not use may be anything.
 * ad-flags: -g
 * ad-error: AD011 27:5 the shadow of argument 1 of 'norm' is the argument itself
 * ad-error: AD011 32:5 the shadow of argument 1 of 'norm' is the argument itself
 * ad-error: AD011 35:5 the shadow of argument 1 of 'scale' is argument 2
 * ad-error: AD011 38:5 the shadow of argument 1 of 'grow' is the argument itself
 * ad-error: AD011 41:5 the shadow of argument 1 of 'norm' is the argument itself
 */
#include "ad.h"

extern void __ad_adjoint_void(void *f, ...), __ad_tangent_void(void *f, ...);
extern void *__ad_augmented_pointer(void *f, ...);

static double norm(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * x[i];
    return s;
}
static void scale(const double *x, double *y) { *y = 2.0 * *x * *x; }
static void grow(double *x) { *x = *x * *x; }
static double chosen(const double *x, const int *which) { return x[*which]; }
struct pair { double values[2]; };

void array(void) {
    double x[3] = {1, 2, 3};
    __ad_adjoint_void((void *)norm, &x[0], x, 3);
}

void parameter(double *x) {
    double *same = x;
    __ad_adjoint_void((void *)norm, x, (void *)same, 3);
}
void another_argument(double *x, double *y, double *yb) {
    __ad_adjoint_void((void *)scale, x, y, y, yb);
}
void in_place(double *x) {
    __ad_tangent_void((void *)grow, x, x);
}
void member(struct pair *p) {
    __ad_augmented_pointer((void *)norm, p->values, &p->values[0], 2);
}

double right(double *x, double *xb, int *which) {
    __ad_adjoint_void((void *)chosen, x, xb, which, which);
    __ad_adjoint_void((void *)norm, x, xb, 3);
    return __ad_tangent((void *)norm, x, x, 3);
}
