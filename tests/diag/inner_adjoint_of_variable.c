/* Code around an inner adjoint sets a variable that its function reads, by name or by a pointer to a function, and reads one that it sets.
 * ad-flags: -g
 * ad-error: AD032 47:39 global variable 'unit' connects 'h', of which an inner request takes the adjoint, with the code around
 * ad-error: AD032 34:18 global variable 'scale' connects 'f', of which an inner request takes the adjoint, with the code around
 * ad-error: AD032 35:12 global variable 'last' connects 'f', of which an inner request takes the adjoint, with the code around
 * ad-error: AD032 36:18 global variable 'last' connects 'f', of which an inner request takes the adjoint, with the code around
 * ad-error: AD032 36:18 global variable 'scale' connects 'f', of which an inner request takes the adjoint, with the code around */
#include "ad.h"
#include <math.h>

extern double __ad_tangent_double(void *f, ...);
extern double __ad_adjoint_double(void *f, ...);

static double last, scale = 1.5;
static double f(double x) {
    last = x * x;
    return scale * sin(x) * last;
}
static double before(double x, double s) {
    scale = s;
    double d = __ad_adjoint_double((void *)f, x);
    scale = 1.5;
    return d;
}
static double after(double x) { return __ad_adjoint_double((void *)f, x) * 0 + last; }
static void set(double s) { scale = s; }
static void leave(double s) { (void)s; }
static void (*const setters[])(double) = {set, leave};
static double through(double x, double s, int k) {
    setters[k](s);
    return __ad_adjoint_double((void *)f, x);
}
double both(double x, int k) {
    double sum = __ad_tangent_double((void *)before, x, 1.0, 1.5, 1.0);
    sum += __ad_tangent_double((void *)after, x, 1.0);
    return sum + __ad_tangent_double((void *)through, x, 1.0, 1.5, 1.0, k);
}
static double unit;
static double h(double x) {
    unit = 1.0;
    return x * x * unit;
}
static double replaced(double x) {
    unit = x;
    return __ad_adjoint_double((void *)h, x) + unit;
}
double of_replaced(double x) { return __ad_adjoint_double((void *)replaced, x); }
