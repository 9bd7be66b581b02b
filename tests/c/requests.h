/* The usual requests for the two usual shapes of a test function, ready for the runner of check.h.
 *
 *   AD_MAP(f)         for `void f(const double *x, double *y)`: f_tangent, f_adjoint
 *   AD_FUNCTIONAL(f)  for `double f(const double *x)`:          f_map, f_tangent, f_adjoint
 *   AD_VALUE(f)       for `double f(double x)`:                 f_map, f_tangent, f_adjoint
 *
 * CHECK_MAP(f, n, m), CHECK_FUNCTIONAL(f, n), CHECK_VALUE(f) are the check_case for each.
 */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "ad.h"
#include "check.h"

#ifdef __cplusplus
extern "C" {
#endif
extern void __ad_tangent_void(void *f, ...);
extern void __ad_adjoint_void(void *f, ...);
extern double __ad_tangent_double(void *f, ...);
extern double __ad_adjoint_double(void *f, ...);
#ifdef __cplusplus
}
#endif

#define AD_MAP(f)                                                                              \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {        \
        __ad_tangent_void((void *)f, x, xd, y, yd);                                            \
    }                                                                                          \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {              \
        __ad_adjoint_void((void *)f, x, xb, y, yb);                                            \
    }

#define CHECK_MAP(f, count_x, count_y)                                                                             \
    {.name = #f, .n = (count_x), .m = (count_y), .primal = f, .tangent = f##_tangent, .adjoint = f##_adjoint}

#define AD_FUNCTIONAL(f)                                                                       \
    static void f##_map(const double *x, double *y) { y[0] = f(x); }                           \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {        \
        (void)y;                                                                               \
        yd[0] = __ad_tangent_double((void *)f, x, xd);                                         \
    }                                                                                          \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {              \
        (void)y, (void)yb;                                                                     \
        __ad_adjoint_void((void *)f, x, xb);                                                   \
    }

#define AD_VALUE(f)                                                                            \
    static void f##_map(const double *x, double *y) { y[0] = f(x[0]); }                        \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {        \
        (void)y;                                                                               \
        yd[0] = __ad_tangent_double((void *)f, x[0], xd[0]);                                   \
    }                                                                                          \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {              \
        (void)y, (void)yb;                                                                     \
        xb[0] += __ad_adjoint_double((void *)f, x[0]);                                         \
    }

#define CHECK_FUNCTIONAL(f, count_x)                                                                                \
    {.name = #f, .n = (count_x), .m = 1, .primal = f##_map, .tangent = f##_tangent, .adjoint = f##_adjoint,        \
     .has_unit_seed = 1, .adjoint_needs_no_primal = 1, .tangent_needs_no_primal = 1}

#define CHECK_VALUE(f) CHECK_FUNCTIONAL(f, 1)

#endif
