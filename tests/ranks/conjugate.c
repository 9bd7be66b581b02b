/* Conjugate gradients, distributed: sums of all ranks decide when to stop, and a rank multiplies its rows by the whole vector. The
 * right-hand side and the matrix have derivatives; beside the gradient of one rank that has everything. */
#include "ranks.h"
#include "ad.h"

enum { N = 24 };

static double dot(const double *a, const double *b, int n, MPI_Comm all) {
    double own = 0.0, sum;
    for (int i = 0; i < n; i++) own += a[i] * b[i];
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, all);
    return sum;
}

/* Rows from `first` on of the matrix: the diagonal `d`, neighbours -1, and a corner that couples all. */
static void multiply(const double *d, const double *p, double *q, int n, int first, MPI_Comm all) {
    int size, counts[8], starts[8];
    double whole[N];
    MPI_Comm_size(all, &size);
    for (int r = 0; r < size; r++) starts[r] = N * r / size, counts[r] = N * (r + 1) / size - starts[r];
    MPI_Allgatherv(p, n, MPI_DOUBLE, whole, counts, starts, MPI_DOUBLE, all);
    for (int i = 0; i < n; i++) {
        int row = first + i;
        q[i] = d[i] * p[i] + 0.01 * whole[N - 1 - row];
        if (row > 0) q[i] -= whole[row - 1];
        if (row < N - 1) q[i] -= whole[row + 1];
    }
}

static double energy(const double *d, const double *b, int n, int first, MPI_Comm all) {
    double x[N] = {0}, r[N], p[N], q[N];
    for (int i = 0; i < n; i++) r[i] = p[i] = b[i];
    double rr = dot(r, r, n, all);
    for (int k = 0; k < 2 * N && rr > 1e-24; k++) {
        multiply(d, p, q, n, first, all);
        double alpha = rr / dot(p, q, n, all);
        for (int i = 0; i < n; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
        double next = dot(r, r, n, all);
        for (int i = 0; i < n; i++) p[i] = r[i] + next / rr * p[i];
        rr = next;
    }
    double s = 0.0, sum;
    for (int i = 0; i < n; i++) s += x[i] * x[i] * (1 + first + i);
    /* Rank 0 alone has the sum in the end, as ranks often do. */
    MPI_Reduce(&s, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, all);
    int rank;
    MPI_Comm_rank(all, &rank);
    return rank == 0 ? sqrt(sum) : 0.0;
}


int main(int count, char **words) {
    ranks_begin(&count, &words);
    int first = N * rank / size, n = N * (rank + 1) / size - first;
    double d[N], b[N], dd[N], bd[N], db[N] = {0}, bb[N] = {0}, owndb[N] = {0}, ownbb[N] = {0};
    for (int i = 0; i < N; i++) d[i] = 3.0 + 0.1 * cos(i), b[i] = sin(1.0 + i), dd[i] = cos(2.0 * i), bd[i] = sin(3.0 * i);
    double alone = __ad_tangent((void *)energy, d, dd, b, bd, N, 0, ad_const, MPI_COMM_SELF);
    __ad_adjoint((void *)energy, d, db, b, bb, N, 0, ad_const, MPI_COMM_SELF);
    double together = __ad_tangent((void *)energy, d + first, dd + first, b + first, bd + first, n, first, ad_const, MPI_COMM_WORLD);
    __ad_adjoint((void *)energy, d + first, owndb, b + first, ownbb, n, first, ad_const, MPI_COMM_WORLD);
    if (rank == 0) check_close("tangent", together, alone, 1e-9);
    else check_equal_bits("tangent of others", together, 0.0);
    for (int i = 0; i < n; i++) {
        check_within("adjoint of the diagonal", owndb[i], db[first + i], 1e-10);
        check_within("adjoint of the right-hand side", ownbb[i], bb[first + i], 1e-10);
    }
    return ranks_done();
}
