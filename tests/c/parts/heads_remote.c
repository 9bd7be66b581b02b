/* The other source of heads_two_sources.c: an ordinary function that knows nothing of derivatives. */
#include <math.h>

double remote_kernel(double a, double b) { return exp(-a) * b + a * b; }

void remote(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] = remote_kernel(x[i], x[(i + 1) % n]);
}
