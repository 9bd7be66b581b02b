/* The functions of lib/exponents.c as maps of the runner of check.h: MAP(name) in double and in float, CASE(name) their cases. */
#include "requests.h"

#include "lib/exponents.h"

enum { COUNT = 16 };
#define MAP(name)                                                                                                     \
    void exponents_##name(const double *x, double *y);                                                                \
    void exponents_##name##_f(const float *x, float *y);                                                              \
    static void name(const double *x, double *y) {                                                                    \
        double from[COUNT], to[COUNT];                                                                                \
        for (int i = 0; i < COUNT; i++) from[i] = x[i], to[i] = 0;                                                    \
        exponents_##name(from, to);                                                                                   \
        for (int i = 0; i < COUNT; i++) y[i] = to[i];                                                                 \
    }                                                                                                                 \
    static void name##_f(const double *x, double *y) {                                                                \
        float from[COUNT], to[COUNT];                                                                                 \
        for (int i = 0; i < COUNT; i++) from[i] = (float)x[i], to[i] = 0;                                             \
        exponents_##name##_f(from, to);                                                                               \
        for (int i = 0; i < COUNT; i++) y[i] = to[i];                                                                 \
    }                                                                                                                 \
    AD_MAP(name)                                                                                                      \
    AD_MAP(name##_f)
/* Differences of floats are too coarse: those of the same in double. What the float version rounds, to 24 bits, remains:
 * 1e-5, or 2e-6 of the terms of a dot product. */
#define CASE(f)                                                                                                       \
    CHECK_MAP(f, COUNT, COUNT),                                                                                       \
        {.name = #f "_f", .n = COUNT, .m = COUNT, .primal = f##_f, .tangent = f##_f_tangent, .adjoint = f##_f_adjoint, .smooth = f},

static void check_exponents(check_case *cases, size_t count) {
    for (size_t k = 0; k < count; k++) {
        cases[k].step = 1e-4, cases[k].tol_diff = cases[k].smooth ? 1e-5 : 1e-6;
        if (cases[k].smooth) cases[k].tol_dot = 2e-6;
        check_random_points(&cases[k], 1, 0.3, 0.9);
    }
}
