/* Memory that there is not: each allocation function returns null, and the program goes on without. */
/* ad-flags: -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-aligned_alloc -fno-builtin-posix_memalign */
// ad-i386: none, asks for more memory than 32 bits can say
#define _GNU_SOURCE
#include "requests.h"
#include <errno.h>

enum { N = 5 };

static volatile size_t too_much = (size_t)1 << 60;

/* A block that realloc frees, and one that it does not find room for. */
static double refused(const double *x) {
    double *t = malloc(N * sizeof *t);
    for (int i = 0; i < N; i++) t[i] = exp(x[i]);
    volatile size_t too_much = (size_t)1 << 60;
    double *more = reallocarray(t, too_much, 16 * sizeof *t);
    double sum = more ? 0.0 : t[0] * t[1];
    double *none = realloc(t, 0);
    free(none);
    return sum;
}

static double with_fallback(const double *x) {
    double local[N], *t = malloc(too_much), sum = 0.0;
    double *u = calloc(too_much, 4), *v = aligned_alloc(64, too_much);
    void *w = local;
    int error = posix_memalign(&w, 64, too_much), wrong = posix_memalign(&w, 24, 8);
    if (t || u || v || error != ENOMEM || wrong != EINVAL || w != local) return 0.0;
    t = local;
    for (int i = 0; i < N; i++) t[i] = x[i] * x[i];
    for (int i = 0; i < N; i++) sum += t[i] * t[(i + 2) % N];
    return sum;
}

AD_FUNCTIONAL(refused)
AD_FUNCTIONAL(with_fallback)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(refused, N), CHECK_FUNCTIONAL(with_fallback, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 4, 0.3, 1.3);
    return check_done();
}
