#include <math.h>
double __real_law(double x);
double __wrap_law(double x) { return sin(__real_law(x)) * x; }
