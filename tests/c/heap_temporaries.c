/* Temporaries from malloc and calloc, freed before the function returns; their sizes depend on an argument, and one is
 * allocated anew in each trip of a loop. */
// ad-switches: aliasing
// ad-sanitizers: address
#include "requests.h"

enum { N = 5 };

static double with_malloc(const double *x, int n) {
    double *t = malloc((size_t)n * sizeof *t), sum = 0.0;
    for (int i = 0; i < n; i++) t[i] = x[i] * x[i] * x[i];
    for (int i = 0; i < n; i++) sum += t[i] * x[n - 1 - i];
    free(t);
    return sum;
}

static double with_calloc(const double *x, int n) {
    double *t = calloc((size_t)n, sizeof *t), sum = 0.0;
    for (int i = 1; i < n; i += 2) t[i] = exp(x[i]); /* the even ones stay zero */
    for (int i = 0; i < n; i++) sum += t[i] * x[i] + t[i];
    free(t);
    return sum;
}

static double in_loop(const double *x, int n) {
    double sum = 0.0;
    for (int i = 1; i <= n; i++) {
        double *t = malloc((size_t)i * sizeof *t);
        for (int j = 0; j < i; j++) t[j] = x[j] * (i + j);
        double product = 1.0;
        for (int j = 0; j < i; j++) product *= t[j];
        sum += product;
        free(t);
    }
    return sum;
}

#define CASE(f)                                                                                      \
    static double f##_n(const double *x) { return f(x, N); }                                         \
    AD_FUNCTIONAL(f##_n)
CASE(with_malloc)
CASE(with_calloc)
CASE(in_loop)

static void with_malloc_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) {
        double other = x[N - 1 - i];
        J[i] = 3.0 * x[i] * x[i] * other + other * other * other;
    }
}
static void with_calloc_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) J[i] = i % 2 ? exp(x[i]) * (2.0 + x[i]) : 0.0;
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(with_malloc_n, N), CHECK_FUNCTIONAL(with_calloc_n, N),
                          CHECK_FUNCTIONAL(in_loop_n, N)};
    cases[0].jacobian = with_malloc_jacobian;
    cases[1].jacobian = with_calloc_jacobian;
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.3, 1.3);
    return check_done();
}
