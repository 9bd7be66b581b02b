/* Every real function of C99's math.h with one float argument. The partials are compared with central differences of
 * the double function at the same point: they may differ by the rounding of float arithmetic only. */
#include "requests.h"
#include "libm_one.h"

extern float __ad_tangent_float(float (*f)(float), float, float);
extern float __ad_adjoint_float(float (*f)(float), float);

#define SMOOTH(name, low, high)                                                   \
    static float w_##name(float x) { return name##f(x); }                         \
    static double d_##name(double x, void *at) { return name(x + *(double *)at); }
#define FLAT(name, low, high) static float w_##name(float x) { return (float)name##f(x) + 0.0f * x; }
LIBM_ONE_TABLE
#undef SMOOTH
#undef FLAT

/* Some partials subtract within float (1 - x^2, say) or call a float function that is itself wrong by a few units:
 * 2^-24 times eight. Where a partial passes through zero its error stays, hence the absolute part. */
static void check_float(const char *name, double got, double want) {
    check_within(name, got, want, 8.0 * 0x1p-24 * (fabs(want) + 0.25));
}

int main(void) {
#define SMOOTH(f, low, high)                                                                            \
    for (int i = 0; i < 6; i++) {                                                                       \
        float x = (float)check_uniform(low, high), adjoint = __ad_adjoint_float(w_##f, x);              \
        double at = x, want = check_difference(d_##f, &at, 0.02, NULL);                                 \
        check_float(#f "f: adjoint", adjoint, want);                                                    \
        check_float(#f "f: tangent", __ad_tangent_float(w_##f, x, 2.0f), 2.0 * want);                   \
        check_close(#f "f: dot product", __ad_tangent_float(w_##f, x, 2.0f), 2.0 * adjoint, 4.0 * 0x1p-24); \
    }
#define FLAT(f, low, high)                                                                              \
    for (int i = 0; i < 4; i++) {                                                                       \
        float x = (float)check_uniform(low, high);                                                      \
        check_true(#f "f: adjoint is zero", __ad_adjoint_float(w_##f, x) == 0.0f);                      \
        check_true(#f "f: tangent is zero", __ad_tangent_float(w_##f, x, 1.0f) == 0.0f);                \
    }
    LIBM_ONE_TABLE
    return check_done();
}
