/* A request on a function with a variable number of arguments.
 * ad-flags: -g
 * ad-error: AD014 16:12 function 'sum' takes a variable number of arguments */
#include "ad.h"
#include <stdarg.h>

static double sum(double first, int count, ...) {
    va_list list;
    va_start(list, count);
    double total = first * first;
    for (int i = 0; i < count; i++) total += va_arg(list, double);
    va_end(list);
    return total;
}
double derivative(double x) {
    return __ad_adjoint((void *)sum, x, ad_const, 0);
}
