/* Every real function of C99's math.h with one or two long double arguments. The partials are compared with central
 * differences in long double: 1e-16 relative, closer than double can tell. */
// ad-i386: none, its differences need a cbrtl that is better than that of the C library for i386
#include "requests.h"
#include "libm_one.h"

typedef long double real;
extern real __ad_tangent_real(void *f, ...);
extern real __ad_adjoint_real(void *f, ...);
extern struct two { real x, y; } __ad_adjoint_two(void *f, real, real);

static real uniform(double low, double high) { return (real)check_uniform(low, high) + 0x1p-58L; }

/* Differences extrapolated to step zero, as check_difference does in double. */
enum { LEVELS = 12 };
static real difference(real (*f)(real, real), real x, real y, int second) {
    real table[LEVELS][LEVELS], best = 0, least = 1e300L, h = 0.02L;
    for (int row = 0; row < LEVELS; row++, h /= 1.6L) {
        real up = second ? f(x, y + h) : f(x + h, y), down = second ? f(x, y - h) : f(x - h, y);
        real factor = 1;
        table[row][0] = (up - down) / (2 * h);
        for (int k = 1; k <= row; k++) {
            factor *= 1.6L * 1.6L;
            table[row][k] = table[row][k - 1] + (table[row][k - 1] - table[row - 1][k - 1]) / (factor - 1);
            real spread = fmaxl(fabsl(table[row][k] - table[row][k - 1]), fabsl(table[row][k] - table[row - 1][k - 1]));
            if (spread < least) least = spread, best = table[row][k];
        }
    }
    return best;
}
static void check_real(const char *name, real got, real want, real bound) {
    real error = fabsl(got - want);
    if (!check_true(name, error <= bound)) printf("  got %.21Lg, want %.21Lg, bound %.3Lg\n", got, want, bound);
}

#define SMOOTH(name, low, high)                                             \
    static real w_##name(real x) { return name##l(x); }                     \
    static real d_##name(real x, real y) { (void)y; return name##l(x); }
#define FLAT(name, low, high) static real w_##name(real x) { return (real)name##l(x) + 0.0L * x; }
LIBM_ONE_TABLE
#undef SMOOTH
#undef FLAT
/* POSIX and GNU have these in long double as well. */
#define MORE SMOOTH(exp10, -2.0, 2.0) SMOOTH(j0, 0.3, 5.0) SMOOTH(j1, 0.3, 5.0) SMOOTH(y0, 0.3, 5.0) SMOOTH(y1, 0.3, 5.0)
real exp10l(real), j0l(real), j1l(real), jnl(int, real), y0l(real), y1l(real), ynl(int, real);
#define SMOOTH(name, low, high)                                             \
    static real w_##name(real x) { return name##l(x); }                     \
    static real d_##name(real x, real y) { (void)y; return name##l(x); }
MORE
#undef SMOOTH

#define TWO_TABLE                                                                                   \
    TWO(pow, powl(x, y)) TWO(hypot, hypotl(x, y)) TWO(atan2, atan2l(x, y)) TWO(fmod, fmodl(x, y))   \
    TWO(remainder, remainderl(x, y)) TWO(fmax, fmaxl(x, y)) TWO(fmin, fminl(x, y)) TWO(fdim, fdiml(x, y)) \
    TWO(copysign, copysignl(x, -y)) TWO(fma, fmal(x, y, x)) TWO(jn, jnl(3, x) * y) TWO(yn, ynl(2, x) * y) \
    TWO(ldexp, ldexpl(x, 3) * y) TWO(scalbn, scalbnl(x, -2) + y) TWO(scalbln, scalblnl(x, 5) - y)   \
    TWO(nextafter, nextafterl(x, 9) * y) TWO(nexttoward, nexttowardl(x, 9) * y)                     \
    TWO(frexp, frexpl(x, &exponent) * y) TWO(modf, modfl(x, &whole) * y + whole)                    \
    TWO(remquo, remquol(x, y, &exponent)) TWO(powi, __builtin_powil(x, 3) * y)                      \
    TWO(sincos, (sincosl(x, &s, &c), s * y + c * c))
void sincosl(real, real *, real *);
#define TWO(name, expression)                                               \
    static real t_##name(real x, real y) {                                  \
        int exponent = 0;                                                   \
        real whole = 0, s = 0, c = 0;                                       \
        real r = expression;                                                \
        (void)exponent, (void)whole, (void)s, (void)c;                      \
        return r;                                                           \
    }
TWO_TABLE
#undef TWO

/* What glibc does not know in long double to the last digits: the gamma functions' derivative is computed in double. */
static real tolerance(const char *name) { return strstr(name, "gamma") ? 2e-15L : 1e-16L; }

int main(void) {
#define SMOOTH(name, low, high)                                                                         \
    for (int i = 0; i < 4; i++) {                                                                       \
        real x = uniform(low, high), want = difference(d_##name, x, 0, 0);                              \
        real bound = tolerance(#name) * (fabsl(want) + fabsl(w_##name(x)) + 0.1L);                      \
        check_real(#name "l: adjoint", __ad_adjoint_real((void *)w_##name, x), want, bound);            \
        check_real(#name "l: tangent", __ad_tangent_real((void *)w_##name, x, 2.0L), 2 * want, 2 * bound); \
    }
#define FLAT(name, low, high)                                                                           \
    for (int i = 0; i < 2; i++) {                                                                       \
        real x = uniform(low, high);                                                                    \
        check_true(#name "l: adjoint is zero", __ad_adjoint_real((void *)w_##name, x) == 0);            \
        check_true(#name "l: tangent is zero", __ad_tangent_real((void *)w_##name, x, 1.0L) == 0);      \
    }
    LIBM_ONE_TABLE
    MORE
#define TWO(name, expression)                                                                           \
    for (int i = 0; i < 4; i++) {                                                                       \
        real x = uniform(1.1, 1.4), y = uniform(0.6, 0.9);                                              \
        real dx = difference(t_##name, x, y, 0), dy = difference(t_##name, x, y, 1);                    \
        real bound = 1e-16L * (fabsl(dx) + fabsl(dy) + fabsl(t_##name(x, y)) + 0.1L);                   \
        struct two bar = __ad_adjoint_two((void *)t_##name, x, y);                                      \
        check_real(#name "l: adjoint, first", bar.x, dx, bound);                                        \
        check_real(#name "l: adjoint, second", bar.y, dy, bound);                                       \
        real tangent = __ad_tangent_real((void *)t_##name, x, 2.0L, y, -3.0L);                          \
        check_real(#name "l: tangent", tangent, 2 * dx - 3 * dy, 5 * bound);                            \
    }
    TWO_TABLE
    return check_done();
}
