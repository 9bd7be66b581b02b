/* The real functions of C99's math.h of one floating-point argument, as a table: name, the interval that the test points
 * are drawn from, and what kind of derivative it has.
 *
 *   SMOOTH(f, low, high)  compared with central differences
 *   FLAT(f, low, high)    piecewise constant: the derivative is exactly zero (a result of integer type is converted)
 */
#ifndef LIBM_ONE_H
#define LIBM_ONE_H

/* The including file defines SMOOTH and FLAT; the float functions have an f behind their name. */
#define LIBM_ONE_TABLE                                                                          \
    SMOOTH(acos, -0.9, 0.9)     SMOOTH(asin, -0.9, 0.9)     SMOOTH(atan, -3.0, 3.0)             \
    SMOOTH(cos, -4.0, 4.0)      SMOOTH(sin, -4.0, 4.0)      SMOOTH(tan, -1.2, 1.2)              \
    SMOOTH(acosh, 1.3, 4.0)     SMOOTH(asinh, -3.0, 3.0)    SMOOTH(atanh, -0.9, 0.9)            \
    SMOOTH(cosh, -2.0, 2.0)     SMOOTH(sinh, -2.0, 2.0)     SMOOTH(tanh, -2.0, 2.0)             \
    SMOOTH(exp, -2.0, 2.0)      SMOOTH(exp2, -2.0, 2.0)     SMOOTH(expm1, -2.0, 2.0)            \
    SMOOTH(log, 0.2, 4.0)       SMOOTH(log10, 0.2, 4.0)     SMOOTH(log1p, -0.8, 3.0)            \
    SMOOTH(log2, 0.2, 4.0)      SMOOTH(cbrt, 0.2, 4.0)      SMOOTH(sqrt, 0.2, 4.0)              \
    SMOOTH(fabs, 0.2, 3.0)      SMOOTH(erf, -2.0, 2.0)      SMOOTH(erfc, -2.0, 2.0)             \
    SMOOTH(lgamma, 0.3, 4.0)    SMOOTH(tgamma, 0.3, 4.0)                                        \
    FLAT(ceil, 0.1, 0.9)        FLAT(floor, -1.9, -1.1)     FLAT(nearbyint, 1.6, 2.4)           \
    FLAT(rint, -2.4, -1.6)      FLAT(lrint, 1.6, 2.4)       FLAT(llrint, 1.6, 2.4)              \
    FLAT(round, 0.6, 1.4)       FLAT(lround, -1.4, -0.6)    FLAT(llround, 1.6, 2.4)             \
    FLAT(trunc, 1.1, 1.9)       FLAT(logb, 1.1, 1.9)        FLAT(ilogb, 4.5, 7.5)

#endif
