/* The first argument of a request is a value that only the running program knows.
 * ad-flags: -g
 * ad-error: AD010 7:59 the first argument of '__ad_adjoint' is not the name of a function */
#include "ad.h"

/* Which function f is, is not known here. */
double derivative(double (*f)(double), double x) { return __ad_adjoint((void *)f, x); }
