/* Functions of one line, by type: name and expression. The library defines them, its program calls each. */
#ifndef ELEMENTARY_H
#define ELEMENTARY_H

/* S is the suffix of libm's names, R the type. x and y lie in [0.3, 0.9]. */
#define ELEMENTARY(X, R, S)                                                                                            \
    X(product, x * y - x / y)                                                                                          \
    X(negated, -(x - 3 * y) * -x)                                                                                      \
    X(reciprocal, 1 / (x + y))                                                                                         \
    X(root, sqrt##S(x * y + 1))                                                                                        \
    X(cube_root, cbrt##S(x * y))                                                                                       \
    X(exponential, exp##S(x * y))                                                                                      \
    X(exponential2, exp2##S(x - y))                                                                                    \
    X(exponential_m1, expm1##S(x * y))                                                                                 \
    X(logarithm, log##S(x * y))                                                                                        \
    X(logarithm2, log2##S(x * y))                                                                                      \
    X(logarithm10, log10##S(x * y))                                                                                    \
    X(logarithm_p1, log1p##S(x * y))                                                                                   \
    X(sine, sin##S(x * y))                                                                                             \
    X(cosine, cos##S(x * y))                                                                                           \
    X(tangent, tan##S(x * y))                                                                                          \
    X(sine_cosine, sin##S(x + y) * cos##S(x + y))                                                                      \
    X(arc_sine, asin##S(x * y))                                                                                        \
    X(arc_cosine, acos##S(x * y))                                                                                      \
    X(arc_tangent, atan##S(x * y))                                                                                     \
    X(arc_tangent2, atan2##S(x, -y))                                                                                   \
    X(hyperbolic_sine, sinh##S(x * y))                                                                                 \
    X(hyperbolic_cosine, cosh##S(x * y))                                                                               \
    X(hyperbolic_tangent, tanh##S(x * y))                                                                              \
    X(area_sine, asinh##S(x * y))                                                                                      \
    X(area_cosine, acosh##S(1 + x * y))                                                                                \
    X(area_tangent, atanh##S(x * y))                                                                                   \
    X(power, pow##S(x, y))                                                                                             \
    X(power_whole, pow##S(x, 3) * pow##S(y, -2))                                                                       \
    X(hypotenuse, hypot##S(x, y))                                                                                      \
    X(fused, fma##S(x, y, x * y))                                                                                      \
    X(error, erf##S(x * y))                                                                                            \
    X(error_complement, erfc##S(x * y))                                                                                \
    X(gamma_true, tgamma##S(x + y))                                                                                    \
    X(gamma_logarithm, lgamma##S(x * y))                                                                               \
    X(bessel, j0##S(x) * j1##S(y) + y0##S(x) * y1##S(y))                                                               \
    X(bessel_order, jn##S(3, 2 * x) + yn##S(2, y + 1))                                                                 \
    X(absolute, fabs##S(x - 2 * y - 2) * fabs##S(y))                                                                   \
    X(sign_copied, copysign##S(x * x, -y) * copysign##S(y, x))                                                         \
    X(least, fmin##S(x, y + 2) * fmin##S(x + 3, y))                                                                    \
    X(greatest, fmax##S(x, y + 2) * fmax##S(x + 3, y))                                                                 \
    X(difference, fdim##S(x + 2, y) + fdim##S(x, y + 2))                                                               \
    X(remainder_floor, fmod##S(7 + x, 2 + y / 10))                                                                     \
    X(remainder_near, remainder##S(6 + x / 10, 2 + y / 100))                                                           \
    X(scaled, ldexp##S(x, 3) + scalbn##S(y * x, -2))                                                                   \
    X(rounded, floor##S(x + 3) * x + ceil##S(y - 4) * y + trunc##S(x + 4) * y + rint##S(3 + x / 10) * x * y)           \
    X(rounded_too, round##S(3 + x / 10) * x + nearbyint##S(x / 10 - 4) * y)                                            \
    X(polynomial, ((x * 2 - 1) * x + y) * x - 3)                                                                       \
    X(selected, x < y + 1 ? x * x * y : y)                                                                             \
    X(squared_sum, (x + y) * (x + y) + (x - y) * (x + 2 * y))

#define NAME(of, name) of##_##name

#endif
