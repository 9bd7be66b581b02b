/* Functions that take the exponents of numbers apart, in loops that compilers vectorise: y = F(x), of 16 numbers each; `NAME` in double, `NAME_f` in float. */
#ifndef EXPONENTS_H
#define EXPONENTS_H

#define EXPONENTS(X)                                                                                                        \
    X(exponent) X(exponent_by_doubling) X(exponent_of_magnitude) X(as_number) X(mantissa) X(split_up) X(scaled) X(chosen)      \
    X(put_together) X(power_below) X(left_of_power) X(logarithm) X(halved) X(exponential) X(truncated)               \
    X(classified) X(normalised) X(sum_of_exponents) X(largest_exponent)
/* By a sum that compilers regroup, so that a step between has no exponent; by a choice that gcc makes of `xor`; and where bits of a float could as well be half a double's. */
#define EXPONENTS_REGROUPED(X) X(by_another) X(sign_word) X(cube_root)

#endif
