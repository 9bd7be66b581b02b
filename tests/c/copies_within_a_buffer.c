/* Reals that a copy of unknown length brings to the upper half of a buffer, and another within the buffer to its lower half, where they are read as integers.
 * ad-i386: none, a real is two words there, and neither tells of which copy */
#include <stdint.h>
#include <string.h>

#include "requests.h"

static size_t bytes_of(const double *x) {
    static volatile size_t all = 24;
    (void)x;
    return all;
}

__attribute__((noinline)) static uint64_t word(const char *at) {
    uint64_t bits;
    memcpy(&bits, at, sizeof bits);
    return bits;
}

static void lowered(const double *x, double *y) {
    char pool[256];
    size_t n = bytes_of(x);
    memset(pool, 0, sizeof pool);
    memcpy(pool + 128, x, n);
    memcpy(pool + 8, pool + 128, n);
    uint64_t a = word(pool + 8), b = word(pool + 24);
    double u, v;
    memcpy(&u, &a, 8), memcpy(&v, &b, 8);
    y[0] = u * v;
    y[1] = sin(v) + x[1];
}
AD_MAP(lowered)

static void lowered_heap(const double *x, double *y) {
    char *pool = calloc(256, 1);
    size_t n = bytes_of(x);
    memcpy(pool + 128, x, n);
    memcpy(pool + 8, pool + 128, n);
    for (int i = 0; i < 3; i++) {
        uint64_t a = word(pool + 8 + 8 * i);
        memcpy((char *)y + 8 * i, &a, 8);
    }
    y[0] *= y[1];
    free(pool);
}
AD_MAP(lowered_heap)

static void moved(const double *x, double *y) {
    char *pool = calloc(256, 1);
    size_t n = bytes_of(x);
    memcpy(pool + 128, x, n);
    memcpy(pool + 8, pool + 128, n);
    uint64_t *at = (uint64_t *)(pool + 8), *to = (uint64_t *)y;
    for (int i = 0; i < 3; i++) to[i] = at[i];
    y[2] = y[2] * y[1];
    free(pool);
}
AD_MAP(moved)

int main(void) {
    check_case cases[] = {CHECK_MAP(lowered, 3, 2), CHECK_MAP(lowered_heap, 3, 3), CHECK_MAP(moved, 3, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 1.2);
    return check_done();
}
