/* A function with a variable number of arguments, active data among them.
 * ad-flags: -g
 * ad-error: AD014 17:12 function 'sum' takes a variable number of arguments */
#include "ad.h"
#include <stdarg.h>

static double sum(int count, ...) {
    va_list list;
    va_start(list, count);
    double total = 0.0;
    for (int i = 0; i < count; i++) total += va_arg(list, double);
    va_end(list);
    return total;
}
static double twice(double x) { return sum(2, x, x); }
double derivative(double x) {
    return __ad_adjoint((void *)twice, x);
}
