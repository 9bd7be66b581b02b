/* Functions of a library that keep their last argument: tests/prebuilt/lib/caches.c. */
#include "requests.h"

double cache_static(double x);
double cache_thread(double x);
double cache_bytes(const double *x);

static double by_static(const double *x) { return cache_static(x[0] * 1.5) * x[1] + cache_static(x[0] * 1.5); }
AD_FUNCTIONAL(by_static)
static double by_thread(const double *x) { return cache_thread(x[0] * 1.5) * x[1] + cache_thread(x[0] * 1.5); }
AD_FUNCTIONAL(by_thread)
static double by_bytes(const double *x) {
    double v[3] = {x[0] * 1.5, x[1], x[0] * x[1]};
    double first = cache_bytes(v);
    return first * cache_bytes(v);
}
AD_FUNCTIONAL(by_bytes)
