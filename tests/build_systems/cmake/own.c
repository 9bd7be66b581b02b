#include <ad.h>

static double square(double x) { return x * x; }
double __ad_adjoint_square(void *, ...);
double slope(double x) { return __ad_adjoint_square((void *)square, x); }
