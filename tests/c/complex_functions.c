/* Every function of C99's complex.h in three precisions: tangent and adjoint against central differences of the double
 * function, and against each other. */
#include <complex.h>
#include "requests.h"

#define FUNCTIONS(F)                                                                    \
    F(cexp) F(clog) F(csqrt) F(csin) F(ccos) F(ctan) F(csinh) F(ccosh) F(ctanh)         \
    F(casin) F(cacos) F(catan) F(casinh) F(cacosh) F(catanh) F(conj) F(cproj)

#define COMPLEX(x, y) __builtin_complex((double)(x), (double)(y))
#define COMPLEXf(x, y) __builtin_complex((float)(x), (float)(y))
#define COMPLEXl(x, y) __builtin_complex((long double)(x), (long double)(y))

#define MAPS(function, name, suffix, real)                                              \
    static void name(const double *x, double *y) {                                      \
        real _Complex z = COMPLEX##suffix(x[0], x[1]), w = function##suffix(z);         \
        y[0] = (double)creal##suffix(w);                                                \
        y[1] = (double)cimag##suffix(w);                                                \
    }                                                                                   \
    AD_MAP(name)
#define SMOOTH(name)                       \
    MAPS(name, name##_double, , double)    \
    MAPS(name, name##_float, f, float)     \
    MAPS(name, name##_long, l, long double)
FUNCTIONS(SMOOTH)
#undef SMOOTH

/* Two complex arguments, and real results. */
#define SEVERAL(suffix, real, type)                                                     \
    static void pow_##type(const double *x, double *y) {                                \
        real _Complex w = cpow##suffix(COMPLEX##suffix(x[0], x[1]), COMPLEX##suffix(x[2], x[3])); \
        y[0] = (double)creal##suffix(w);                                                \
        y[1] = (double)cimag##suffix(w);                                                \
    }                                                                                   \
    static void quotient_##type(const double *x, double *y) {                           \
        real _Complex z = COMPLEX##suffix(x[0], x[1]), w = COMPLEX##suffix(x[2], x[3]);     \
        real _Complex q = z / w + z * w;                                                \
        y[0] = (double)creal##suffix(q);                                                \
        y[1] = (double)cimag##suffix(q);                                                \
    }                                                                                   \
    static void polar_##type(const double *x, double *y) {                              \
        real _Complex z = COMPLEX##suffix(x[0], x[1]);                                    \
        y[0] = (double)cabs##suffix(z);                                                 \
        y[1] = (double)carg##suffix(z);                                                 \
    }                                                                                   \
    AD_MAP(pow_##type) AD_MAP(quotient_##type) AD_MAP(polar_##type)
SEVERAL(, double, double)
SEVERAL(f, float, float)
SEVERAL(l, long double, long)

/* In a loop with overwriting, through a call that stays one, with a branch on the magnitude. */
__attribute__((noinline)) static float _Complex turn(float _Complex z, float s) { return cexpf(COMPLEXf(0, s)) * csqrtf(z); }
__attribute__((noinline)) static long double _Complex grow(long double _Complex z, int n) {
    return n == 0 ? z : csinl(grow(z, n - 1)) / 2;
}
static double loop(const double *x) {
    float _Complex z = COMPLEXf(x[0], x[1]);
    double _Complex w = COMPLEX(x[1], 0.5);
    double _Complex all[3];
    for (int i = 0; i < 3; i++) {
        z = turn(z, (float)x[i % 2]);
        if (cabs(w) < 1.1) w = cexp(w);
        w *= clog(w + i);
        all[i] = w;
    }
    return creal(all[0] * all[2]) + (double)crealf(z) + (double)cimagl(grow(COMPLEXl(x[0], x[1]), 3)) + cimag(all[1]);
}
AD_FUNCTIONAL(loop)

/* In float the primal only serves to tell the derivative's point. Partials are computed in float, too: 24 bits, and quotients
 * of complex numbers that cancel. */
static check_case in_float(check_case c, check_map smooth) {
    c.smooth = smooth;
    c.tol_diff = 2e-5;
    c.tol_dot = 2e-5;
    return c;
}
static void all_quadrants(check_case c, check_map smooth) {
    for (int quadrant = 0; quadrant < 4; quadrant++) {
        double x[4] = {check_uniform(0.3, 0.8), check_uniform(0.2, 0.7), check_uniform(0.5, 1.5), check_uniform(-0.7, 0.7)};
        if (quadrant & 1) x[0] = -x[0];
        if (quadrant & 2) x[1] = -x[1];
        if (smooth) {
            check_case f = in_float(c, smooth);
            for (int i = 0; i < 4; i++) x[i] = (float)x[i];
            check_at(&f, x);
        } else {
            check_at(&c, x);
        }
    }
}

int main(void) {
#define CHECK(f)                                                     \
    all_quadrants((check_case)CHECK_MAP(f##_double, 2, 2), NULL);    \
    all_quadrants((check_case)CHECK_MAP(f##_float, 2, 2), f##_double); \
    all_quadrants((check_case)CHECK_MAP(f##_long, 2, 2), NULL);
    FUNCTIONS(CHECK)
    all_quadrants((check_case)CHECK_MAP(pow_double, 4, 2), NULL);
    all_quadrants((check_case)CHECK_MAP(pow_float, 4, 2), pow_double);
    all_quadrants((check_case)CHECK_MAP(pow_long, 4, 2), NULL);
    all_quadrants((check_case)CHECK_MAP(quotient_double, 4, 2), NULL);
    all_quadrants((check_case)CHECK_MAP(quotient_float, 4, 2), quotient_double);
    all_quadrants((check_case)CHECK_MAP(quotient_long, 4, 2), NULL);
    all_quadrants((check_case)CHECK_MAP(polar_double, 2, 2), NULL);
    all_quadrants((check_case)CHECK_MAP(polar_float, 2, 2), polar_double);
    all_quadrants((check_case)CHECK_MAP(polar_long, 2, 2), NULL);
    check_case c = CHECK_FUNCTIONAL(loop, 2);
    c.tol_diff = 1e-4; /* partly float */
    c.tol_dot = 1e-5;  /* likewise */
    c.step = 0.1;
    double x[2] = {0.7, 0.4};
    check_at(&c, x);

    /* At zero: the power's derivative is what the limit says, whatever magnitude and angle are. */
    double zero[4] = {0, 0, 2, 0}, bar[4] = {0}, y[2], seed[2] = {1, 1};
    pow_double_adjoint(zero, bar, y, seed);
    for (int i = 0; i < 4; i++) check_true("square at zero", bar[i] == 0.0);
    return check_done();
}
