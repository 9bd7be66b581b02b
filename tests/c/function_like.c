/* Functions that the user declares to be like library functions: their calls stay, their derivatives are those of the
 * names. The bodies could not be differentiated.
 * ad-also: parts/library_power.c */
#include "requests.h"

static int calls;

static double my_sin(double x) {
    volatile double y = x;
    return calls++, sin(y);
}
void *__ad_function_like_sin[] = {(void *)my_sin, (void *)"sin"};

static float my_expf(float x) {
    volatile float y = x;
    return expf(y);
}
__attribute__((used)) static void *__enzyme_function_like_exp[] = {(void *)my_expf, (void *)"expf"};

double library_power(double x, double y);
void *__enzyme_function_like_pow[] = {(void *)library_power, (void *)"pow"};

static double scaled(double x, int n) {
    volatile double y = x;
    return ldexp(y, n);
}
void *__ad_function_like_ldexp[] = {(void *)scaled, (void *)"ldexp"};

static double f(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) sum += my_sin(x[0] * i) * scaled(x[1], i - 1);
    return sum + library_power(x[0], x[1]) + my_expf((float)x[1]);
}
static double f_smooth_value(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) sum += sin(x[0] * i) * ldexp(x[1], i - 1);
    return sum + pow(x[0], x[1]) + exp(x[1]);
}
static void f_smooth(const double *x, double *y) { y[0] = f_smooth_value(x); }
AD_FUNCTIONAL(f)

int main(void) {
    double x[2] = {0.75, 1.25};
    check_case c = CHECK_FUNCTIONAL(f, 2);
    c.smooth = f_smooth;
    c.tol_diff = c.tol_dot = 1e-6; /* expf: single precision */
    check_at(&c, x);
    check_true("the functions are called", calls > 0);
    check_close("request on the function", __ad_adjoint_double((void *)my_sin, 0.5), cos(0.5), 1e-15);
    return check_done();
}
