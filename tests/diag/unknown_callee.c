/* A call to a function that has neither a body nor a rule: never an assumed zero.
 * ad-flags: -g
 * ad-error: AD021 8:29 'unknown' has no body in this file and no derivative rule
 * ad-error: AD021 8:29 unknown_callee.c:7:36 */
#include "ad.h"
double unknown(double);
static double f(double x) { return unknown(x) * x; }
double g(double x) { return __ad_adjoint((void *)f, x); }
