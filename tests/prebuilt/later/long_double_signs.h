/* Sign and exponent of a long double are changed as integers: the derivatives that DERIVATIVE(x, way) gives, by each way at three points. */
#include "requests.h"

#include "../lib/long_double_signs.h"

static void changed(const long double *x, long double *y, int way) { long_double_changed(x, y, way); }

static int check_changes(double (*derivative)(long double x, int way)) {
    int failed = 0;
    for (int way = 0; way < WAYS; way++)
        for (int k = 0; k < 3; k++) {
            long double x = 1.5L - 1.25L * k;
            int exponent;
            frexpl(x, &exponent);
            double want = way < SIGNS ? -1 : way == 3 ? ldexp(1, 1 - exponent) : 8, got = derivative(x, way);
            if (!(fabs(got - want) <= 1e-14)) failed++, printf("FAIL way %d of %Lg: got %.15g, want %.15g\n", way, x, got, want);
        }
    return failed != 0;
}
