// library: long_double_signs.c
// ends: AS012
/* Sign and exponent of a long double are changed as integers, in a tangent. */
#include "requests.h"

#include "../lib/long_double_signs.h"

static void changed(const long double *x, long double *y, int way) { long_double_changed(x, y, way); }

int main(void) {
    int failed = 0;
    for (int way = 0; way < WAYS; way++)
        for (int k = 0; k < 3; k++) {
            long double x = 1.5L - 1.25L * k, y, own;
            int exponent;
            changed(&x, &y, way);
            own = frexpl(fabsl(x), &exponent);
            (void)own;
            double factor = way < SIGNS ? -1 : way == 3 ? ldexp(1, 1 - exponent) : 8;
            long double xd = 0.75L, yd = -1.25L;
            __ad_tangent_void((void *)changed, &x, &xd, &y, &yd, way);
            double got = (double)yd, want = 0.75 * factor;
            if (!(fabs(got - want) <= 1e-14)) failed++, printf("FAIL way %d of %Lg: got %.15g, want %.15g\n", way, x, got, want);
        }
    return failed != 0;
}
