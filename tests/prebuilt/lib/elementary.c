/* Arithmetic and libm, of double, float and long double. */
#define _GNU_SOURCE
#include <math.h>

#include "elementary.h"

#define DOUBLE(name, expression) double NAME(real, name)(double x, double y) { return expression; }
ELEMENTARY(DOUBLE, double, )
#define FLOAT(name, expression) float NAME(single, name)(float x, float y) { return expression; }
ELEMENTARY(FLOAT, float, f)
#define EXTENDED(name, expression) long double NAME(extended, name)(long double x, long double y) { return expression; }
ELEMENTARY(EXTENDED, long double, l)
/* The same behind doubles. */
#define WITHIN(name, expression)                                                                                      \
    static long double NAME(inner, name)(long double x, long double y) { return expression; }                        \
    double NAME(within, name)(double x, double y) { return (double)NAME(inner, name)(x, y); }
ELEMENTARY(WITHIN, long double, l)
