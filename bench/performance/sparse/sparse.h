/* What the programs of sparse Jacobians share. Arguments as in bench.h:
 *
 *     PROGRAM PREFIX SECONDS RUNS WORD...
 *
 * Measured are the function, one tangent, the pattern (with its colouring and without), and the compressed Jacobian: all directions one by one, and in
 * blocks of eight at once. `count` lines say how large the matrix is. Checks: the Jacobian against the dense one, entry by entry, where that is small; its
 * product with a vector against the tangent; both ways of computing it; and what ad_sparse_check finds.
 */
#ifndef SPARSE_H
#define SPARSE_H

#include "../second/measure.h"

#include <ad.h>
#include <ad_sparse.h>

extern void __ad_pattern_void(void *f, ...);
extern void __ad_tangent_void(void *f, ...);

enum { SPARSE_BLOCK = 8 };
/* Entries of a dense Jacobian that is compared. */
static const double sparse_most_dense = 4e6;

/* A function to R^outputs, its pattern and tangents; in the block, shadows of the directions lie side by side. */
typedef struct sparse {
    long inputs, outputs;
    double *x;
    void (*value)(const double *x, double *y);
    void (*pattern)(const double *x, const double *xs, double *y, double *ys);
    void (*tangent)(const double *x, const double *xd, double *y, double *yd);
    void (*block)(const double *x, const double *xd, double *y, double *yd);
} sparse;

static const sparse *sparse_code;
static ad_sparse *sparse_matrix;
static double *sparse_y, *sparse_xd, *sparse_yd;

static void sparse_value(int which) {
    (void)which;
    sparse_code->value(sparse_code->x, sparse_y);
}
static void sparse_tangent(int which) {
    (void)which;
    sparse_code->tangent(sparse_code->x, sparse_xd, sparse_y, sparse_yd);
}
static void sparse_pattern(int which) {
    (void)which;
    long n = sparse_code->inputs, m = sparse_code->outputs;
    ad_sparse_free(sparse_matrix);
    sparse_matrix = ad_sparse_jacobian(m, n);
    memset(sparse_yd, 0, (size_t)m * sizeof *sparse_yd);
    ad_sparse_inputs(sparse_matrix, sparse_xd, 0, n);
    sparse_code->pattern(sparse_code->x, sparse_xd, sparse_y, sparse_yd);
    ad_sparse_outputs(sparse_matrix, sparse_yd, 0, m);
    ad_sparse_pattern(sparse_matrix);
}
static void sparse_pattern_and_colours(int which) {
    sparse_pattern(which);
    ad_sparse_colour(sparse_matrix, AD_BY_COLUMNS);
}
static void sparse_compressed(int which) {
    (void)which;
    for (long d = 0; d < ad_sparse_directions(sparse_matrix); d++) {
        ad_sparse_direction(sparse_matrix, d, sparse_xd, 0, sparse_code->inputs);
        sparse_code->tangent(sparse_code->x, sparse_xd, sparse_y, sparse_yd);
        ad_sparse_values(sparse_matrix, d, sparse_yd, 0, sparse_code->outputs);
    }
}
/* What is left over at the end repeats the last direction. */
static void sparse_compressed_in_blocks(int which) {
    (void)which;
    long n = sparse_code->inputs, m = sparse_code->outputs, all = ad_sparse_directions(sparse_matrix);
    for (long first = 0; first < all; first += SPARSE_BLOCK) {
        for (long d = 0; d < SPARSE_BLOCK; d++)
            ad_sparse_direction(sparse_matrix, first + d < all ? first + d : all - 1, sparse_xd + d * n, 0, n);
        sparse_code->block(sparse_code->x, sparse_xd, sparse_y, sparse_yd);
        for (long d = 0; d < SPARSE_BLOCK && first + d < all; d++) ad_sparse_values(sparse_matrix, first + d, sparse_yd + d * m, 0, m);
    }
}

/* The dense Jacobian, column by column, against the sparse one: the largest difference, relative to the column's largest entry. */
static inline double sparse_dense_difference(void) {
    long n = sparse_code->inputs, m = sparse_code->outputs;
    const long *starts = ad_sparse_starts(sparse_matrix), *columns = ad_sparse_indices(sparse_matrix);
    const double *entries = ad_sparse_entries(sparse_matrix);
    double *column = bench_alloc(m, sizeof *column), worst = 0.0;
    memset(sparse_xd, 0, (size_t)n * sizeof *sparse_xd);
    for (long j = 0; j < n; j++) {
        sparse_xd[j] = 1.0;
        sparse_tangent(0);
        sparse_xd[j] = 0.0;
        memset(column, 0, (size_t)m * sizeof *column);
        for (long i = 0; i < m; i++)
            for (long e = starts[i]; e < starts[i + 1]; e++)
                if (columns[e] == j) column[i] = entries[e];
        double r = bench_difference(m, column, sparse_yd);
        if (!(r <= worst)) worst = r;
    }
    free(column);
    return worst;
}

static inline int sparse_run(const sparse *code, int count, char **arguments) {
    double seconds;
    int runs;
    measure_arguments(count, arguments, &seconds, &runs);
    long n = code->inputs, m = code->outputs;
    sparse_code = code;
    sparse_y = bench_alloc(m, sizeof(double));
    sparse_xd = bench_alloc(SPARSE_BLOCK * n, sizeof(double)), sparse_yd = bench_alloc(SPARSE_BLOCK * m, sizeof(double));

    sparse_pattern_and_colours(0);
    sparse_compressed(0);
    long nonzeros = ad_sparse_nonzeros(sparse_matrix);
    printf("count rows %ld\ncount columns %ld\n", m, n);
    printf("count nonzeros %ld\ncount directions %ld\n", nonzeros, ad_sparse_directions(sparse_matrix));
    /* A row that does not hold is no number. */
    printf("check sparse_check %s\n", ad_sparse_check(sparse_matrix, 1e-9) < 0 ? "0" : "nan");
    double *entries = bench_alloc(nonzeros, sizeof *entries), *product = bench_alloc(m, sizeof *product);
    memcpy(entries, ad_sparse_entries(sparse_matrix), (size_t)nonzeros * sizeof *entries);
    if ((double)n * (double)m <= sparse_most_dense) printf("check dense %.3e\n", sparse_dense_difference());
    sparse_compressed_in_blocks(0);
    printf("check blocks %.3e\n", bench_difference(nonzeros, ad_sparse_entries(sparse_matrix), entries));
    double *v = measure_directions(code->x, n, 1);
    const long *starts = ad_sparse_starts(sparse_matrix), *columns = ad_sparse_indices(sparse_matrix);
    for (long i = 0; i < m; i++)
        for (long e = starts[i]; e < starts[i + 1]; e++) product[i] += entries[e] * v[columns[e]];
    memcpy(sparse_xd, v, (size_t)n * sizeof *v);
    sparse_tangent(0);
    printf("check product %.3e\n", bench_difference(m, product, sparse_yd));

    static const measure_kind kinds[] = {
        {"primal", sparse_value},        {"tangent", sparse_tangent}, {"pattern", sparse_pattern}, {"pattern_and_colours", sparse_pattern_and_colours},
        {"compressed", sparse_compressed}, {"compressed_in_blocks", sparse_compressed_in_blocks},
    };
    if (runs > 0) measure(kinds, 6, seconds, runs);
    return 0;
}

#endif
