/* The real functions of C99's math.h of two and three floating-point arguments, in double and in float. */
#include "requests.h"

struct two { double a, b; };
struct floats { float a, b; };
extern struct two __ad_adjoint_two(double (*f)(double, double), double, double);
extern double __ad_tangent_two(double (*f)(double, double), double, double, double, double);
extern struct floats __ad_adjoint_floats(float (*f)(float, float), float, float);
extern float __ad_tangent_floats(float (*f)(float, float), float, float, float, float);

/* name, intervals of x and y: away from the kinks, so that differences apply. */
#define TABLE                                                                                     \
    TWO(atan2, 0.3, 2.0, -2.0, 2.0)      TWO(pow, 0.4, 2.5, -2.0, 3.0)                            \
    TWO(hypot, -2.0, 2.0, 0.3, 2.0)      TWO(fmod, 5.3, 5.7, 1.6, 1.7)                            \
    TWO(remainder, 5.3, 5.7, 1.75, 1.85) TWO(copysign, 0.5, 2.0, -2.0, -0.5)                      \
    TWO(nextafter, 0.5, 0.9, 1.5, 2.0)   TWO(fdim, 1.5, 2.0, 0.3, 1.2)                            \
    TWO(fmax, 1.5, 2.0, 0.3, 1.2)        TWO(fmin, 1.5, 2.0, 0.3, 1.2)

#define TWO(name, xl, xh, yl, yh)                                                                 \
    static double w_##name(double x, double y) { return name(x, y); }                             \
    static float s_##name(float x, float y) { return name##f(x, y); }
TABLE
#undef TWO
static double far_fdim(double x, double y) { return fdim(y, x); }
static double second_fmax(double x, double y) { return fmax(y, x); }
static double second_fmin(double x, double y) { return fmin(y, x); }
static double negative_fmod(double x, double y) { return fmod(-x, y); }
static double lower_atan2(double x, double y) { return atan2(-x, y); }
static double plus_copysign(double x, double y) { return copysign(-x, -y); }
static double cubed(double x, double y) { return pow(x, 3.0) * y; }
static double exponent(double x, double y) { return pow(2.5, x * y); }

typedef struct point { double (*f)(double, double); double x, y, xd, yd; } point;

static double line(double t, void *context) {
    point *p = context;
    return p->f(p->x + t * p->xd, p->y + t * p->yd);
}
static double partial(double (*f)(double, double), double x, double y, int second) {
    point p = {f, x, y, !second, second};
    return check_difference(line, &p, 0.02, NULL);
}
/* 1e-9: what is left of the differences' rounding; a partial of zero has differences of exactly zero or their noise. */
static void check_partial(const char *name, double got, double want) {
    check_within(name, got, want, 1e-9 * fabs(want) + 1e-10);
}
static void check_two(const char *name, double (*f)(double, double), struct two adjoint, double tangent, double x, double y,
                      double xd, double yd) {
    check_partial(name, adjoint.a, partial(f, x, y, 0));
    check_partial(name, adjoint.b, partial(f, x, y, 1));
    double terms = fabs(adjoint.a * xd) + fabs(adjoint.b * yd);
    check_within(name, tangent, adjoint.a * xd + adjoint.b * yd, 1e-14 * terms);
}

#define CHECK_TWO(f, xl, xh, yl, yh)                                                                          \
    for (int i = 0; i < 5; i++) {                                                                             \
        double x = check_uniform(xl, xh), y = check_uniform(yl, yh), xd = 0.75, yd = -0.5;                    \
        struct two adjoint = __ad_adjoint_two(f, x, y);                                                       \
        check_two(#f, f, adjoint, __ad_tangent_two(f, x, xd, y, yd), x, y, xd, yd);                           \
    }
/* Float against the double function's differences: see libm_float.c for the bound. */
#define CHECK_FLOATS(f, xl, xh, yl, yh)                                                                       \
    for (int i = 0; i < 5; i++) {                                                                             \
        float x = (float)check_uniform(xl, xh), y = (float)check_uniform(yl, yh);                             \
        struct floats adjoint = __ad_adjoint_floats(s_##f, x, y);                                             \
        double a = partial(w_##f, x, y, 0), b = partial(w_##f, x, y, 1), size = fabs(a) + fabs(b);            \
        check_within(#f "f: first", adjoint.a, a, 8.0 * 0x1p-24 * (fabs(a) + 0.25));                          \
        check_within(#f "f: second", adjoint.b, b, 8.0 * 0x1p-24 * (fabs(b) + 0.25));                         \
        check_within(#f "f: tangent", __ad_tangent_floats(s_##f, x, 1.0f, y, 0.5f), a + 0.5 * b,              \
                     8.0 * 0x1p-24 * (size + 0.25));                                                          \
    }

static double fused(double x, double y) { return fma(x, y, x * x); }
static double fused_sum(double x, double y) { return fma(2.0, x, fma(y, y, 1.0)); }

int main(void) {
#define TWO(f, xl, xh, yl, yh)                                                                                \
    CHECK_TWO(w_##f, xl, xh, yl, yh)                                                                          \
    CHECK_FLOATS(f, xl, xh, yl, yh)
    TABLE
    CHECK_TWO(far_fdim, 1.5, 2.0, 0.3, 1.2)
    CHECK_TWO(second_fmax, 1.5, 2.0, 0.3, 1.2)
    CHECK_TWO(second_fmin, 1.5, 2.0, 0.3, 1.2)
    CHECK_TWO(negative_fmod, 5.3, 5.7, 1.6, 1.7)
    CHECK_TWO(lower_atan2, 0.3, 2.0, -2.0, 2.0)
    CHECK_TWO(plus_copysign, 0.5, 2.0, -2.0, -0.5)
    CHECK_TWO(cubed, -2.0, 2.0, 0.3, 2.0)
    CHECK_TWO(exponent, -1.0, 1.0, 0.3, 2.0)
    CHECK_TWO(fused, -2.0, 2.0, -2.0, 2.0)
    CHECK_TWO(fused_sum, -2.0, 2.0, -2.0, 2.0)
    return check_done();
}
