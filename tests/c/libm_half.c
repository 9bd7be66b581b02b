/* Functions on _Float16, by the compiler's builtins (no library has them: they become float functions) and by way of float.
 * Partials are computed in float.
 * ad-flags: -fno-math-errno */
// ad-i386: none, the target has no _Float16 without SSE2
#include "requests.h"

typedef _Float16 half;

#define FUNCTIONS(F)                                                                                        \
    F(sin, __builtin_sinf16) F(cos, __builtin_cosf16) F(exp, __builtin_expf16) F(exp2, __builtin_exp2f16)   \
    F(log, __builtin_logf16) F(log2, __builtin_log2f16) F(log10, __builtin_log10f16) F(sqrt, __builtin_sqrtf16) \
    F(fabs, __builtin_fabsf16) F(tan, __builtin_tanf16)

#define MAPS(name, builtin)                                                       \
    static double h_##name(double x) { return (double)builtin((half)x); }         \
    static double f_##name(double x) { return (double)(half)name##f((half)x); }   \
    static void d_##name(const double *x, double *y) { y[0] = name(x[0]); }       \
    AD_VALUE(h_##name) AD_VALUE(f_##name)
FUNCTIONS(MAPS)

static double several(const double *x) {
    half a = (half)x[0], b = (half)x[1];
    half r = __builtin_powf16(a, b) + __builtin_fmaf16(a, b, a) + __builtin_fmaxf16(a, b) * __builtin_copysignf16(a, -b);
    return (double)(r + __builtin_fminf16(a, b) + __builtin_floorf16(a + 3) + __builtin_fmodf16(a, (half)0.25));
}
static void several_exact(const double *x, double *y) {
    double a = x[0], b = x[1];
    y[0] = pow(a, b) + a * b + a + fmax(a, b) * copysign(a, -b) + fmin(a, b) + fmod(a, 0.25) + floor(a + 3);
}
AD_FUNCTIONAL(several)

/* Half precision: eleven bits, 5e-4, and sums of a few terms. */
static void check_half(check_case c, check_map exact, int n) {
    c.smooth = exact;
    c.tol_diff = 4e-3;
    c.tol_dot = 4e-3;
    for (int i = 0; i < 4; i++) {
        double x[2] = {(float)(half)check_uniform(0.55, 0.7), (float)(half)check_uniform(0.8, 1.3)};
        check_at(&c, x + (n == 1 ? i % 2 : 0));
    }
}

int main(void) {
#define CHECK(name, builtin)                                            \
    check_half((check_case)CHECK_VALUE(h_##name), d_##name, 1);         \
    check_half((check_case)CHECK_VALUE(f_##name), d_##name, 1);
    FUNCTIONS(CHECK)
    check_half((check_case)CHECK_FUNCTIONAL(several, 2), several_exact, 2);
    return check_done();
}
