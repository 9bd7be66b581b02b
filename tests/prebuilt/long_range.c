// ad-library: long_range.c
// ad-link: -lm
/* Long doubles outside of double's range, in a library and in arrays that it is given. Their partials and adjoints are no doubles. */
#include "requests.h"

#include "lib/long_range.h"

#define FUNCTION(name)                                                                                                 \
    double long_##name(const double *x);                                                                               \
    static double name(const double *x) {                                                                              \
        double own[3] = {x[0], x[1], x[2]};                                                                            \
        return long_##name(own);                                                                                       \
    }                                                                                                                  \
    AD_FUNCTIONAL(name)
LONG_RANGE(FUNCTION)

void long_array(const long double *from, long double *to);
static double array(const double *x) {
    long double from[2] = {x[0] * 1e-2000L, x[1] * 1e2000L}, to[2] = {0, 0};
    long_array(from, to);
    return (double)(to[0] * x[2] + to[1] * 1e-2000L);
}
AD_FUNCTIONAL(array)

int main(void) {
#define CASE(name) CHECK_FUNCTIONAL(name, 3),
    check_case cases[] = {LONG_RANGE(CASE) CHECK_FUNCTIONAL(array, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 1.2);
    return check_done();
}
