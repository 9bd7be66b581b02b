/* The other file of global_files.c. */
#include "ad.h"

enum { N = 4 };

extern double shared_values[N];
static double *pointer = shared_values;
double shared_sum, shared_scale = 1.5;

extern double __ad_tangent_double(void *f, ...);
extern void __ad_adjoint_void(void *f, ...);

double other_value(const double *x) {
    shared_sum = x[0];
    for (int i = 0; i < N; i++) shared_values[i] = shared_sum * x[i] * shared_scale;
    return pointer[1] * shared_values[2] + shared_sum;
}
void other_tangent(const double *x, const double *xd, double *y, double *yd) {
    (void)y;
    yd[0] = __ad_tangent_double((void *)other_value, x, xd);
}
void other_adjoint(const double *x, double *xb, double *y, double *yb) {
    (void)y, (void)yb;
    __ad_adjoint_void((void *)other_value, x, xb);
}
