/* Functions that take numbers apart by their bits: y = F(x), of 8 numbers each. */
#ifndef NUMBERS_H
#define NUMBERS_H

#define NUMBERS(X)                                                                                                     \
    X(magnitude) X(signed_like) X(truncated) X(lowered) X(raised) X(rounded) X(nearest) X(parts) X(fraction) X(scaled) X(scaled_twice) \
    X(exponent) X(exponent_as_number) X(split) X(shortened) X(left_over) X(truncated_float) X(fraction_float) X(scaled_float)          \
    X(fused) X(quotient)

#endif
