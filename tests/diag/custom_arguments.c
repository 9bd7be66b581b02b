/* Calls whose arguments a rule cannot take: constant memory where the rule wants a shadow and does not expect null, active
 * memory and values where it has none.
 * ad-flags: -g
 * ad-error: AD032 32:50 argument 1 of 'scaled' points to memory without a shadow, but the registered derivative takes a shadow for it and does not test the shadow for null
 * ad-error: AD018 33:44 argument 1 of 'indexed' points to active memory, but the registered derivative takes no shadow for it
 * ad-error: AD018 34:43 argument 1 of 'shifted' is active, but the registered derivative has no derivative for it
 */
#include "ad.h"

extern void __ad_adjoint_void(void *f, ...);
double scaled(const double *x, double a);
double scaled_augmented(const double *x, double *xb, double a) { return x[0] * a; }
double scaled_reverse(const double *x, double *xb, double a, double d) {
    xb[0] += a * d;
    return x[0] * d;
}
void *__ad_register_adjoint_scaled[] = {(void *)scaled, (void *)scaled_augmented, (void *)scaled_reverse};

double indexed(const double *table, int i);
double indexed_augmented(const double *table, int i) { return table[i]; }
void indexed_reverse(const double *table, int i, double d) {}
void *__ad_register_adjoint_indexed[] = {(void *)indexed, (void *)indexed_augmented, (void *)indexed_reverse};

double shifted(double x);
double shifted_augmented(double x) { return x; }
void shifted_reverse(double x, double d) {}
void *__ad_register_adjoint_shifted[] = {(void *)shifted, (void *)shifted_augmented, (void *)shifted_reverse};

static double f(const double *x, double a) { return scaled(x, a); }
static double g(const double *x) { return indexed(x, 2); }
static double h(const double *x) { return shifted(x[0]); }
double first(const double *x, double a) { return __ad_adjoint((void *)f, ad_const, x, a); }
void second(const double *x, double *xb) { __ad_adjoint_void((void *)g, x, xb); }
void third(const double *x, double *xb) { __ad_adjoint_void((void *)h, x, xb); }
