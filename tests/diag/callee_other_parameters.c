/* A function with the name of one of libm, but other parameters, is another function: its rule does not speak of it.
 * ad-flags: -g -fno-builtin
 * ad-error: AD021 10:29 'cexp' has no body in this file and no derivative rule
 * ad-error: AD021 10:29 'gamma' has no body in this file and no derivative rule
 * ad-error: AD021 10:29 callee_other_parameters.c:9:36 */
#include "ad.h"
double gamma(double, double);
double cexp(double);
static double f(double x) { return cexp(x) + gamma(x, x); }
double g(double x) { return __ad_adjoint((void *)f, x); }
