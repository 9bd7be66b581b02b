#include <ad.h>
#include <math.h>
#include <stdlib.h>

static double norm(const double *x, int n) {
    double sum = 0, *w = malloc(n * sizeof *w);
    for (int i = 0; i < n; i++) sum += (w[i] = sin(x[i]) * sum + x[i]) * w[i];
    free(w);
    return sum;
}
void __ad_adjoint_norm(void *, ...);
void gradient(const double *x, double *b, int n) { __ad_adjoint_norm((void *)norm, x, b, n); }
