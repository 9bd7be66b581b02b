// A matrix that is divided by rows is transposed by MPI_Alltoall with a datatype of columns, between sweeps along its rows: what transforms
// in several dimensions do. Beside the gradient of one rank that has all rows. Records of C++ hold the parts.
#include "ranks.h"
#include "ad.h"
#include <complex>
#include <vector>

constexpr int N = 12;


namespace {

struct matrix {
    MPI_Comm all;
    int rows;
    std::vector<double> values;

    matrix(const double *from, int rows, MPI_Comm all) : all(all), rows(rows), values(from, from + rows * N) {}

    // Sums along each row, as a recurrence.
    void sweep() {
        for (int i = 0; i < rows; i++) {
            double *row = &values[static_cast<std::size_t>(i) * N];
            for (int k = 1; k < N; k++) row[k] += 0.5 * std::sin(row[k - 1]) * row[k];
        }
    }

    void transpose() {
        std::vector<double> came(values.size());
        MPI_Datatype column, block;
        MPI_Type_vector(rows, 1, N, MPI_DOUBLE, &column);
        MPI_Type_create_resized(column, 0, sizeof(double), &block);
        MPI_Type_commit(&block);
        // So many columns go to each rank; they come as rows, in parts.
        MPI_Alltoall(values.data(), rows, block, came.data(), rows * rows, MPI_DOUBLE, all);
        MPI_Type_free(&block), MPI_Type_free(&column);
        for (int r = 0; r < N / rows; r++)
            for (int i = 0; i < rows; i++)
                for (int k = 0; k < rows; k++) values[i * N + r * rows + k] = came[(r * rows + i) * rows + k];
    }
};

double model(const double *x, int rows, int first, MPI_Comm all) {
    matrix m(x, rows, all);
    for (int t = 0; t < 3; t++) {
        m.sweep();
        m.transpose();
    }
    // Complex numbers, too.
    std::complex<double> own(0.0, 0.0), sum;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < N; k++) own += std::complex<double>(m.values[i * N + k], (first + i) * 0.1 * m.values[i * N + k] * m.values[i * N + k]);
    MPI_Allreduce(&own, &sum, 1, MPI_CXX_DOUBLE_COMPLEX, MPI_SUM, all);
    return sum.real() * sum.imag();
}

} // namespace

int main(int count, char **words) {
    ranks_begin(&count, &words);
    int rows = N / size, first = rows * rank;
    double x[N * N], xd[N * N], xb[N * N] = {0}, own[N * N] = {0};
    for (int i = 0; i < N * N; i++) x[i] = std::cos(0.7 * i), xd[i] = std::sin(1.1 * i);
    double alone = __ad_tangent<double>((void *)model, x, xd, N, 0, ad_const, MPI_COMM_SELF);
    __ad_adjoint<void>((void *)model, x, xb, N, 0, ad_const, MPI_COMM_SELF);
    double together = __ad_tangent<double>((void *)model, x + first * N, xd + first * N, rows, first, ad_const, MPI_COMM_WORLD);
    __ad_adjoint<void>((void *)model, x + first * N, own, rows, first, ad_const, MPI_COMM_WORLD);
    check_close("tangent", together, alone, 1e-12);
    for (int i = 0; i < rows * N; i++) check_within("adjoint", own[i], size * xb[first * N + i], 1e-12 * size * std::fmax(1.0, std::fabs(xb[first * N + i])));
    return ranks_done();
}
