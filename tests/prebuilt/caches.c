// ad-library: caches.c
// ad-link: -lm
/* Within one evaluation a library finds what it keeps, with its derivative; what it kept before is forgotten where it is called with something else. */
#include "caches.h"

static double with_static(const double *x) { return cache_static(9) + by_static(x); }
AD_FUNCTIONAL(with_static)
static double with_thread(const double *x) { return cache_thread(9) + by_thread(x); }
AD_FUNCTIONAL(with_thread)
static double with_bytes(const double *x) {
    const double other[3] = {9, 9, 9};
    return cache_bytes(other) + by_bytes(x);
}
AD_FUNCTIONAL(with_bytes)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(with_static, 2), CHECK_FUNCTIONAL(with_thread, 2), CHECK_FUNCTIONAL(with_bytes, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 0.9);
    return check_done();
}
