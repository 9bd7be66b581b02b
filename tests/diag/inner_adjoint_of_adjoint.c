/* An adjoint of code that asks for an adjoint.
 * ad-flags: -g
 * ad-error: AD014 11:41 the adjoint of code that asks for an adjoint is not supported yet */
#include "ad.h"
#include <math.h>

extern double __ad_adjoint_double(void *f, ...);

static double f(double x) { return sin(x) * x; }
static double slope(double x) { return __ad_adjoint_double((void *)f, x); }
double curvature(double x) { return x + __ad_adjoint_double((void *)slope, x); }
