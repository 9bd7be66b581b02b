/* Every real function of C99's math.h with one double argument: tangent and adjoint against central differences. */
#include "requests.h"
#include "libm_one.h"

#define SMOOTH(f, low, high)                        \
    static double w_##f(double x) { return f(x); }  \
    AD_VALUE(w_##f)
#define FLAT(f, low, high) static double w_##f(double x) { return (double)f(x) + 0.0 * x; }
LIBM_ONE_TABLE
#undef SMOOTH
#undef FLAT

/* erfc, lgamma and the inverse functions are right to a few units in the last place, and so are the differences. */
static void check_smooth(check_case c, const char *name, double low, double high) {
    c.name = name;
    c.step = 0.02;
    check_random_points(&c, 6, low, high);
}

int main(void) {
#define SMOOTH(f, low, high)                                \
    {                                                       \
        check_case c = CHECK_VALUE(w_##f);                  \
        check_smooth(c, #f, low, high);                     \
    }
#define FLAT(f, low, high)                                                                              \
    for (int i = 0; i < 4; i++) {                                                                       \
        double x = check_uniform(low, high);                                                            \
        check_true(#f ": adjoint is zero", __ad_adjoint_double((void *)w_##f, x) == 0.0);               \
        check_true(#f ": tangent is zero", __ad_tangent_double((void *)w_##f, x, 1.0) == 0.0);          \
    }
    LIBM_ONE_TABLE
    /* On the other side of the kink or pole. */
    check_close("fabs below zero", __ad_adjoint_double((void *)w_fabs, -1.5), -1.0, 0.0);
    check_close("cbrt below zero", __ad_adjoint_double((void *)w_cbrt, -8.0), 1.0 / 12.0, 1e-15);
    return check_done();
}
