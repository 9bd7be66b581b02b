#include <math.h>

/* Newton's iteration, of which nobody wants the derivative. */
double root(double x) {
    double r = x;
    for (int i = 0; i < 60; i++) r = 0.5 * (r + x / r);
    return r;
}

static double last;
__attribute__((annotate("ad_inactive"))) double trace(double x) {
    last = x;
    return 2.0;
}

double like_a_sine(double x) { return sin(x); }
static void *const __ad_function_like_sine[] __attribute__((used)) = {(void *)like_a_sine, (void *)"sin"};
