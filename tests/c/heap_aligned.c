/* Temporaries from aligned_alloc and posix_memalign. */
// ad-sanitizers: address
#define _GNU_SOURCE
#include "requests.h"

enum { N = 5 };

static double with_aligned(const double *x, int n) {
    double *t = aligned_alloc(64, 64 * (((size_t)n * sizeof *t + 63) / 64)), sum = 0.0;
    for (int i = 0; i < n; i++) t[i] = x[i] / (1.0 + x[i]);
    for (int i = 0; i < n; i++) sum += t[i] * t[0];
    free(t);
    return sum;
}

static double with_memalign(const double *x, int n) {
    void *memory = NULL;
    if (posix_memalign(&memory, 32, (size_t)n * sizeof(double))) return 0.0;
    double *t = memory, sum = 0.0;
    for (int i = 0; i < n; i++) t[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) sum += t[i] * t[n - 1 - i];
    free(memory);
    return sum;
}

static double with_aligned_n(const double *x) { return with_aligned(x, N); }
static double with_memalign_n(const double *x) { return with_memalign(x, N); }
AD_FUNCTIONAL(with_aligned_n)
AD_FUNCTIONAL(with_memalign_n)

int main(void) {
    check_case first = CHECK_FUNCTIONAL(with_aligned_n, N), second = CHECK_FUNCTIONAL(with_memalign_n, N);
    check_random_points(&first, 3, 0.3, 1.3);
    check_random_points(&second, 3, 0.3, 1.3);
    return check_done();
}
