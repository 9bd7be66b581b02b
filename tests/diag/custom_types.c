/* Rules of the user's whose types do not fit their functions: expected and actual types are named.
 * ad-error: AD018 - 'f_returns' cannot be the tangent of 'f': its result does not match (the derivative of the result, or a struct of result and derivative)
 * ad-error: AD018 - expected double (double, double, ptr, ptr, i32), found i32 (double, double, ptr, ptr, i32)
 * ad-error: AD018 - 'g_takes' cannot be the forward sweep of 'g': its parameters do not match; expected { ptr, double } (double, ptr, ptr), found double (double, i32)
 * ad-error: AD018 - 'h_reverse' cannot be the reverse sweep of 'h': it must take the parameters of the forward sweep, then the adjoint of a real result, then the tape
 * ad-error: AD018 - 'k_reverse' cannot be the reverse sweep of 'k': its result does not match (the adjoints of the reals by value, in order)
 * ad-error: AD018 - 'v_reverse' cannot be the reverse sweep of 'v': its result does not match (the adjoints of the reals by value, in order)
 * ad-error: AD018 - 'w_tangent' cannot be the tangent of 'w': its result does not match (the derivative of the result, or a struct of result and derivative)
 * ad-error: AD018 - 'two_tangent' cannot be the tangent of 'two': its types leave open which parameters have a shadow
 * ad-error: AD018 - '__ad_register_tangent_one' must be an array of 2 functions
 * ad-error: AD018 - '__ad_register_adjoint_named' must be an array of 3 functions
 * ad-error: AD018 - 'by_value' cannot have a tangent of its own: parameter 1 is a struct by value
 * ad-error: AD018 - '__ad_register_tangent_h' has no constant initial value
 */
#include "ad.h"

double f(double x, const double *y, int n) { return x * y[n]; }
int f_returns(double x, double xd, const double *y, const double *yd, int n) { return n; }
void *__ad_register_tangent_f[] = {(void *)f, (void *)f_returns};

double g(double x, const double *y) { return x * y[0]; }
double g_takes(double x, int n) { return x; }
double g_reverse(double x, const double *y, double *yb, double d) { return d; }
void *__ad_register_adjoint_g[] = {(void *)g, (void *)g_takes, (void *)g_reverse};

double h(double x) { return x; }
void *h_augmented(double x) { return 0; }
double h_reverse(double x, void *tape) { return 1.0; }
void *__enzyme_register_gradient_h[] = {(void *)h, (void *)h_augmented, (void *)h_reverse};

double k(double x, double y) { return x * y; }
double k_augmented(double x, double y) { return x * y; }
double k_reverse(double x, double y, double d) { return d * y; }
void *__enzyme_register_gradient_k[] = {(void *)k, (void *)k_augmented, (void *)k_reverse};

double v(double x) { return x; }
void v_augmented(double x) {}
float v_reverse(double x, double d) { return (float)d; }
void *__ad_register_adjoint_v[] = {(void *)v, (void *)v_augmented, (void *)v_reverse};

double w(double x) { return x; }
void w_tangent(double x, double xd) {}
void *__ad_register_tangent_w[] = {(void *)w, (void *)w_tangent};

void two(const double *x, double *y) { *y = *x; }
void two_tangent(const double *x, double *y, double *yd) { *y = *x, *yd = 0.0; }
void *__enzyme_register_derivative_two[] = {(void *)two, (void *)two_tangent};

void *__ad_register_tangent_one[] = {(void *)f};
void *__ad_register_adjoint_named[] = {(void *)f, (void *)"f_augmented", (void *)"f_reverse"};

struct large { double values[4]; };
double by_value(struct large x) { return x.values[0]; }
double by_value_tangent(struct large x, struct large xd) { return xd.values[0]; }
void *__ad_register_tangent_by_value[] = {(void *)by_value, (void *)by_value_tangent};

extern void *__ad_register_tangent_h[];
void **uses_it(void) { return __ad_register_tangent_h; }

static double square(double x) { return x * x; }
double d(double x) { return __ad_adjoint((void *)square, x); }
