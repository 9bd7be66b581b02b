// ad-library: caches.c
// ad-link: -lm
// ad-refused-by-some: AS051
/* The library has kept the argument since a call without derivatives, and what it computed then. */
#include "../caches.h"

int main(void) {
    check_case c = CHECK_FUNCTIONAL(by_static, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
