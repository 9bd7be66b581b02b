// ad-link: -lgsl -lgslcblas -lm
// ad-needs: libgsl.so
/* Views of the GNU Scientific Library: structs with pointers, returned in memory; of the program's arrays and of its own vectors. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_statistics.h>

#include "requests.h"

static double of_arrays(const double *x) {
    double a[6], b[3] = {x[2], x[0] * x[1], 1};
    for (int i = 0; i < 6; i++) a[i] = x[i % 3] * (i + 1);
    gsl_vector_view all = gsl_vector_view_array(a, 6), even = gsl_vector_view_array_with_stride(a, 2, 3), part = gsl_vector_subvector(&all.vector, 2, 3);
    gsl_vector_view other = gsl_vector_view_array(b, 3);
    double dot, norm = gsl_blas_dnrm2(&all.vector);
    gsl_blas_ddot(&even.vector, &other.vector, &dot);
    gsl_blas_daxpy(x[0], &other.vector, &part.vector);
    return dot * norm + a[2] * a[3] + a[4];
}
AD_FUNCTIONAL(of_arrays)
static void solved(const double *x, double *y) {
    double a[9], b[3] = {x[0], x[1] * x[1], x[2]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[3 * i + j] = x[i] * x[j] + (i == j ? 3 : 0);
    gsl_matrix_view m = gsl_matrix_view_array(a, 3, 3);
    gsl_vector_view v = gsl_vector_view_array(b, 3), to = gsl_vector_view_array(y, 3);
    gsl_permutation *p = gsl_permutation_alloc(3);
    int sign;
    gsl_linalg_LU_decomp(&m.matrix, p, &sign);
    gsl_linalg_LU_solve(&m.matrix, p, &v.vector, &to.vector);
    gsl_permutation_free(p);
    gsl_vector_view diagonal = gsl_matrix_diagonal(&m.matrix);
    for (int i = 0; i < 3; i++) y[i] *= gsl_vector_get(&diagonal.vector, i);
}
AD_MAP(solved)
static double of_vectors(const double *x) {
    gsl_vector *v = gsl_vector_alloc(5);
    for (int i = 0; i < 5; i++) gsl_vector_set(v, i, x[i % 3] + i);
    gsl_vector_view head = gsl_vector_subvector(v, 0, 2), tail = gsl_vector_subvector(v, 3, 2);
    double dot;
    gsl_vector_scale(&tail.vector, x[1]);
    gsl_blas_ddot(&head.vector, &tail.vector, &dot);
    dot *= gsl_vector_get(v, 4);
    gsl_vector_free(v);
    return dot;
}
AD_FUNCTIONAL(of_vectors)
static double of_matrices(const double *x) {
    gsl_matrix *m = gsl_matrix_calloc(3, 4);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) gsl_matrix_set(m, i, j, x[i] * (j + 1));
    gsl_vector_view row = gsl_matrix_row(m, 1), column = gsl_matrix_column(m, 2);
    gsl_vector_const_view last = gsl_matrix_const_row(m, 2);
    gsl_matrix_view corner = gsl_matrix_submatrix(m, 0, 1, 2, 3);
    gsl_vector_scale(&row.vector, x[0]);
    double dot, sum = gsl_stats_mean(column.vector.data, column.vector.stride, 3);
    gsl_blas_ddot(&row.vector, &last.vector, &dot);
    gsl_matrix_scale(&corner.matrix, x[2]);
    dot *= gsl_matrix_get(m, 1, 3) + sum;
    gsl_matrix_free(m);
    return dot;
}
AD_FUNCTIONAL(of_matrices)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(of_arrays, 3), CHECK_MAP(solved, 3, 3), CHECK_FUNCTIONAL(of_vectors, 3), CHECK_FUNCTIONAL(of_matrices, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 1.2);
    return check_done();
}
