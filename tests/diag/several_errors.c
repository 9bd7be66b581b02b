/* Errors of one run are collected: two requests, each with its own cause, both modes.
 * ad-flags: -g
 * ad-error: AD021 10:32 'first_unknown'
 * ad-error: AD021 11:32 'second_unknown' */
#include "ad.h"
double first_unknown(double);
double second_unknown(double);
static double f(double x) { return first_unknown(x) * x; }
static double h(double x) { return second_unknown(x) + x; }
double of_f(double x) { return __ad_adjoint((void *)f, x); }
double of_h(double x) { return __ad_tangent((void *)h, x, 1.0); }
