/* Loops over arrays: y = F(x), of n numbers each; what is shorter in y is zero. */
#ifndef ARRAYS_H
#define ARRAYS_H

#define ARRAYS(X)                                                                                                      \
    X(sum) X(dot) X(axpy) X(stencil) X(stencil_in_place) X(multiply)           \
    X(strided) X(reversed) X(prefix) X(horner) X(copied) X(moved) X(struct_copies) X(reallocated)    \
    X(sorted) X(sorted_pairs) X(largest) X(least_at) X(norms) X(gathered) X(scattered) X(interleaved) X(complex_sums)  \
    X(counted) X(rows) X(rows_swapped) X(listed) X(tree) X(workspace) X(on_stack)         \
    X(clipped) X(signs) X(conditional) X(powers) X(triangle) X(cholesky) X(eliminated) X(transposed) X(upwind)         \
    X(wave) X(exponentials) X(sines) X(mixed) X(bytes) X(table)                                   \
    X(swapped) X(halves) X(bubble) X(zeroed) X(polynomials) X(fourier) X(tridiagonal) X(convolved)

/* Those of floats. */
#define FLOATS(X) X(sum_float) X(dot_float) X(axpy_float) X(multiply_float) X(narrowed) X(float_exponentials) X(complex_float) X(stencil_float) X(sorted_float)

#endif
