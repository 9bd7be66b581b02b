/* Functions with a variable number of arguments: one that a request names, and one that is given a struct of 16 bytes'
 * alignment as two numbers.
 * ad-flags: -g
 * ad-error: AD014 26:12 function 'sum' takes a variable number of arguments
 * ad-error: AD014 29:12 function 'first' takes a variable number of arguments */
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
struct pair { _Alignas(16) double a, b; };
__attribute__((noinline)) static double first(int count, ...) {
    va_list list;
    va_start(list, count);
    double a = va_arg(list, struct pair).a;
    va_end(list);
    return a * a;
}
double named(double x) {
    return __ad_adjoint((void *)sum, ad_const, 1, x);
}
static double aligned(double x) { return first(1, (struct pair){x, 1.0}); }
double d(double x) { return __ad_adjoint((void *)aligned, x); }
