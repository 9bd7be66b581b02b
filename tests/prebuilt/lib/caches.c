/* Functions that keep their last argument, and what they computed of it. */
#include <math.h>
#include <string.h>

static double compute(double x) { return exp(-x) * x; }

double cache_static(double x) {
    static double key = -1, value;
    if (key != x) key = x, value = compute(x);
    return value;
}
double cache_thread(double x) {
    static _Thread_local double key = -1, value;
    if (key != x) key = x, value = compute(x);
    return value;
}
double cache_bytes(const double *x) {
    static double keys[3], value;
    if (memcmp(keys, x, sizeof keys)) {
        memcpy(keys, x, sizeof keys);
        value = compute(x[0]) * x[1] + x[2];
    }
    return value;
}
