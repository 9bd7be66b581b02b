/* Code that asks whether the processor keeps the smallest numbers. */
#include "requests.h"
#include <float.h>
#include <xmmintrin.h>

static double smallest(void) { return _mm_getcsr() & (_MM_FLUSH_ZERO_ON | 0x40) ? DBL_MIN : DBL_TRUE_MIN; }
static double last;
static double guarded(const double *x) {
    last = x[1];
    double least = smallest(), y = x[0];
    for (int i = 0; i < 3; i++)
        if (y > least) y *= x[1] + x[0];
    last += y;
    return last * y;
}
AD_FUNCTIONAL(guarded)

int main(void) {
    const struct check_case all = CHECK_FUNCTIONAL(guarded, 2);
    check_random_points(&all, 2, 0.3, 1.1);
    return check_done();
}
