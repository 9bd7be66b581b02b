/* A temporary that realloc makes longer: what was in it moves, and its shadow with it. */
// ad-sanitizers: address
#include "requests.h"

enum { N = 5 };

static double with_realloc(const double *x, int n) {
    double *t = malloc(2 * sizeof *t), sum = 0.0;
    t[0] = x[0] * x[1];
    t[1] = sin(x[1]);
    t = realloc(t, (size_t)(n + 2) * sizeof *t);
    for (int i = 0; i < n; i++) t[i + 2] = t[i] * x[i];
    for (int i = 0; i < n + 2; i++) sum += t[i] * t[i];
    free(t);
    return sum;
}

static double with_realloc_n(const double *x) { return with_realloc(x, N); }
AD_FUNCTIONAL(with_realloc_n)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(with_realloc_n, N);
    check_random_points(&c, 3, 0.3, 1.3);
    return check_done();
}
