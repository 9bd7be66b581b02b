/* A loop over doubles becomes a copy of memory. The blocks hold floats at other times: what the loop's elements were says
 * what is copied. */
#include "check.h"
#include "ad.h"

#include <stdlib.h>

void __ad_adjoint_void(void *, ...);
void __ad_tangent_void(void *, ...);

enum { N = 6 };

__attribute__((noinline)) static void copy(double *restrict to, const double *restrict from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}

static void primal(const double *x, double *y) {
    void *first = malloc(N * sizeof(double)), *second = malloc(N * sizeof(double));
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double *a = first, *b = second;
        for (int i = 0; i < N; i++) a[i] = x[i % 3] * (i + k);
        copy(b, a, N);
        for (int i = 0; i < N; i++) sum += a[i] * b[N - 1 - i];
        copy(a, b, N);
        for (int i = 0; i < N; i++) sum += a[i] * b[i] * x[0];
        float *c = first, *d = second;
        for (int i = 0; i < N; i++) c[i] = 0.5f * (float)i, d[i] = 0.25f;
        for (int i = 0; i < N; i++) sum += (double)c[i] * x[1] + (double)d[i];
    }
    y[0] = sum;
    free(first), free(second);
}

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)primal, x, xd, y, yd);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)primal, x, xb, y, yb);
}

int main(void) {
    const check_case c = {.name = "copied elements", .n = 3, .m = 1, .primal = primal, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
