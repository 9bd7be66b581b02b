/* Records on the tape, and goes through machine code. */
#include <ad.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double cubes(const double *x, int n);

static double f(const double *x, int n) {
    double sum = 0, *w = malloc(n * sizeof *w);
    for (int i = 0; i < n; i++) sum += (w[i] = sin(x[i]) * sum + x[i]) * w[i];
    free(w);
    return sum;
}
static double g(const double *x, int n) { return 2 * cubes(x, n); }
void __ad_adjoint_f(void *, ...);
void __ad_adjoint_g(void *, ...);

int check(void) {
    double *x = malloc(2 * sizeof *x), *b = calloc(2, sizeof *b);
    x[0] = 3, x[1] = 2;
    __ad_adjoint_f((void *)f, x, b, 1);
    __ad_adjoint_g((void *)g, x, b, 2);
    return fabs(b[0] - 60) < 1e-12 && b[1] == 24 ? puts("right"), 0 : (printf("%g %g\n", b[0], b[1]), 1);
}
#ifndef LIBRARY
int main(void) { return check(); }
#endif
