/* Errors are collected: all requests of a file, and all causes in one function, are reported by one run.
 * ad-flags: -g
 * ad-error: AD022 21:9 a call through a function pointer
 * ad-error: AD032 21:9 an active value is stored in memory that has no shadow
 * ad-error: AD021 21:9 function 'elsewhere' has no body in this file and no derivative rule
 * ad-error: AD011 22:9 the shadow of argument 1 of 'first' is missing
 * ad-error: AD012 23:9 ad_out is for floating-point arguments by value; mark a pointer ad_dup */
#include "ad.h"

extern double last[];
double elsewhere(double x);
static double first(const double *x) { return x[0]; }
static double bad(double (*g)(double), double x) {
    double y = g(x);
    last[0] = y;
    return y + elsewhere(x);
}

double derivatives(double (*g)(double), double x, const double *p) {
    double a, b, c;
    a = __ad_adjoint((void *)bad, ad_const, g, x);
    b = __ad_tangent((void *)first, p);
    c = __ad_adjoint((void *)first, ad_out, p);
    return a + b + c;
}
