/* adcc: sparse Jacobians and Hessians in C and C++ (see docs/reference/ad-h.md).
 *
 * A sparse matrix takes few products with it, if its pattern is known. So there are two phases:
 *
 * 1. The request `__ad_pattern(f, x, xs, y, ys)` runs f and propagates sets of inputs in place of derivatives. A shadow holds
 *    a set in the place of each real. Shadows that hold no set are zero. This gives the pattern, and a colouring gives the directions.
 * 2. In each direction, a tangent, an adjoint, or a tangent of a gradient gives a product, from which the entries are read.
 *
 *     ad_sparse *j = ad_sparse_jacobian(m, n);
 *     ad_sparse_inputs(j, xs, 0, n);
 *     __ad_pattern((void *)f, x, xs, y, ys);
 *     ad_sparse_outputs(j, ys, 0, m);
 *     long directions = ad_sparse_colour(j, AD_BY_COLUMNS);
 *     for (long d = 0; d < directions; d++) {
 *         ad_sparse_direction(j, d, dx, 0, n);
 *         __ad_tangent((void *)f, x, dx, y, dy);
 *         ad_sparse_values(j, d, dy, 0, m);
 *     }
 *     if (ad_sparse_check(j, 1e-9) >= 0) { the pattern is another at this x: record it again }
 *
 * The pattern serves for any number of points; for each, the loop runs again.
 *
 * A pattern is that of the branches which the recorded run took. At another x, the matrix may have entries outside of the pattern.
 * They would be added to other entries; the check finds that, with one product more. The pattern errs towards too large.
 *
 * Rows, columns and directions are numbered from 0. Functions that take an array take a piece of a vector: the elements
 * first, first + 1, ..., first + count - 1. Pieces may come in any order, so that inputs may lie in several arguments.
 * Different threads may use different matrices at the same time, but not the same one.
 * A wrong use ends the program with the message AD225. A pattern that does not fit into memory ends it with AD226.
 * The libadrt.a of a shared library and that of the program do not see each other's sets: use a matrix where the request is.
 */
#ifndef AD_SPARSE_H
#define AD_SPARSE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ad_sparse ad_sparse;

/* A Jacobian with this number of rows (results) and columns (inputs), each 0 to 2^31 - 1. Never null. */
extern ad_sparse *ad_sparse_jacobian(long rows, long columns);
/* The Hessian of one result with n inputs. Never null. */
extern ad_sparse *ad_sparse_hessian(long n);
/* Frees a matrix. A null pointer is allowed. */
extern void ad_sparse_free(ad_sparse *matrix);

/* The pattern.
 *
 * Marks inputs before the request: sets[i] becomes the set {first + i}. A column that is never marked has no entries. */
extern void ad_sparse_inputs(ad_sparse *matrix, double *sets, long first, long count);
extern void ad_sparse_inputs_f(ad_sparse *matrix, float *sets, long first, long count);
/* Takes sets of results after the request: those of the rows first + i of a Jacobian. For a Hessian, the set of its result,
 * with first 0 and count 1. Each row must be given. A row that is given again, after another run, is united with what it was:
 * so a pattern may hold for several runs. */
extern void ad_sparse_outputs(ad_sparse *matrix, const double *sets, long first, long count);
extern void ad_sparse_outputs_f(ad_sparse *matrix, const float *sets, long first, long count);
/* Computes the pattern, and ends the recording. Returns the number of entries. ad_sparse_colour does this, too. The memory of
 * the sets is freed when no matrix is being recorded. Shadows keep what is then useless: set them to zero. */
extern long ad_sparse_pattern(ad_sparse *matrix);

/* The directions. */
#define AD_BY_COLUMNS 0      /* Jacobian: directions for tangents. Hessian: star colouring, entries are read directly */
#define AD_BY_ROWS 1         /* Jacobian: directions for adjoints, as seeds of the results                              */
#define AD_BY_EITHER 2       /* Jacobian: the fewer of both; ad_sparse_is_by_rows tells which. Hessian: as AD_BY_COLUMNS   */
#define AD_BY_SUBSTITUTION 3 /* Hessian: acyclic colouring. Fewer directions, but rounding errors of entries add up         */

/* Before ad_sparse_colour: no direction for the check. */
extern void ad_sparse_skip_check(ad_sparse *matrix);
/* Finds directions. Returns their number. The last is the check. A matrix may be coloured again; its entries are unknown then. */
extern long ad_sparse_colour(ad_sparse *matrix, int by);
/* The number of directions, and that without the check. */
extern long ad_sparse_directions(const ad_sparse *matrix);
extern long ad_sparse_colours(const ad_sparse *matrix);
/* 1 if the directions are seeds of the results, for adjoints; otherwise 0. */
extern int ad_sparse_is_by_rows(const ad_sparse *matrix);
/* Fills seeds: those of the columns first + i, or of the rows if the directions are by rows. They are 0 or 1, in the check
 * direction fixed numbers of magnitude 0.5 to 1.5 with signs. */
extern void ad_sparse_direction(const ad_sparse *matrix, long direction, double *seeds, long first, long count);
extern void ad_sparse_direction_f(const ad_sparse *matrix, long direction, float *seeds, long first, long count);

/* The entries.
 *
 * Takes elements of a product: of matrix times seeds, or, by rows, of seeds times matrix. The entries are known when all elements of
 * all directions were given; before, they are NaN. Then products at another point may follow. */
extern void ad_sparse_values(ad_sparse *matrix, long direction, const double *products, long first, long count);
extern void ad_sparse_values_f(ad_sparse *matrix, long direction, const float *products, long first, long count);
/* Compares the product in the check direction with what the entries give. Returns -1 if they agree, otherwise the first row
 * (column, if the directions are by rows) where they differ by more than the tolerance times the sum of the magnitudes of all
 * terms, or where one of them is not finite. Then the pattern does not hold at this point, or nothing is known of it. An entry
 * outside of the pattern is not found if it is that small. */
extern long ad_sparse_check(ad_sparse *matrix, double tolerance);

/* The matrix. A Hessian has both triangles here.
 *
 * The number of entries. */
extern long ad_sparse_nonzeros(const ad_sparse *matrix);
/* Compressed rows: where each row starts in the other two arrays (rows + 1 elements), and columns, ascending in each row. These
 * arrays live as long as the matrix; the entries, until it is coloured again. */
extern const long *ad_sparse_starts(const ad_sparse *matrix);
extern const long *ad_sparse_indices(const ad_sparse *matrix);
extern const double *ad_sparse_entries(const ad_sparse *matrix);
/* Copies compressed rows: start has rows + 1 elements, column and value as many as there are entries. Indices start at base, 0 or 1.
 * Without value (null), only the pattern. With value, the arrays of indices may be null. */
extern void ad_sparse_csr(const ad_sparse *matrix, int *start, int *column, double *value, int base);
/* Copies compressed columns, rows ascending in each: start has columns + 1 elements. Arrays may be null as above. */
extern void ad_sparse_csc(const ad_sparse *matrix, int *start, int *row, double *value, int base);
/* Copies the lower triangle of a Hessian, with the diagonal, as triplets, row by row; and their number. Arrays may be null as above. */
extern void ad_sparse_lower(const ad_sparse *matrix, int *row, int *column, double *value, int base);
extern long ad_sparse_lower_nonzeros(const ad_sparse *matrix);

#ifdef __cplusplus
}
#endif
#endif
