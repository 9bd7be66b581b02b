/* Control and state: y = F(x), of 8 numbers each. */
#ifndef FLOW_H
#define FLOW_H

/* Bits of doubles in registers that hold them: pairs of them, on i386, are refused in recordings (later/bits.c). */
#ifdef __i386__
#define FLOW_OF_WORDS(X)
#else
#define FLOW_OF_WORDS(X) X(sign_bits) X(absolute_bits) X(select_bits) X(atomics)
#endif

#define FLOW(X)                                                                                                        \
    X(recursive) X(ackermann) X(jumped) X(jumped_far) X(nested_callbacks) X(tabled) X(variadic) X(small_struct)        \
    X(large_struct) X(float_struct) X(complex_value) X(long_double) X(extended_array) FLOW_OF_WORDS(X) \
    X(exponent_bits) X(rounded_by_constant)            \
    X(threaded_local) X(global_state) X(linked) X(exchanged) X(early_exit) X(loop_until) X(switched)      \
    X(newton) X(runge_kutta) X(simpson) X(quicksort) X(matrix_power) X(string_keyed) X(formatted)            \
    X(inverse_root) X(next_float) X(random_walk) X(heap_queue) X(summed_compensated) X(mixed_struct)

/* What has no derivative where compilers make it of integers. */
#define FLOW_OF_BITS(X) X(truncated_low) X(union_views)

#endif
