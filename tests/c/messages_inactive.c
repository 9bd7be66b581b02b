/* Message passing in differentiated code where no active data take part: ranks, times, whole numbers, norms that are only looked at, and data of which the user says that they are
 * constant.
 * ad-option: -ad-prebuilt=MPI_Bcast=inactive
 * ad-also: parts/messages.c */
#include "requests.h"

int MPI_Comm_rank(int comm, int *rank);
int MPI_Comm_size(int comm, int *size);
int MPI_Barrier(int comm);
double MPI_Wtime(void);
int MPI_Allreduce(const void *from, void *to, int count, int type, int op, int comm);
int MPI_Bcast(void *data, int count, int type, int root, int comm);
enum { WORLD = 7, REAL = 1, INTEGER = 2, SUM = 3 };

static double ranks(const double *x) {
    int rank, size;
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    double t = MPI_Wtime();
    MPI_Barrier(WORLD);
    return x[rank] * x[1] * (rank + 2 * size) * t;
}
AD_FUNCTIONAL(ranks)

static __attribute__((noinline)) int all_cells(int cells) {
    int all;
    MPI_Allreduce(&cells, &all, 1, INTEGER, SUM, WORLD);
    return all;
}
static double counts(const double *x) {
    double sum = 0;
    for (int i = 0; i < all_cells(2); i++) sum += x[i] * x[i];
    return sum / all_cells(4);
}
AD_FUNCTIONAL(counts)

/* The norm only decides when the loop ends. */
static double norms(const double *x) {
    double y = x[0], norm;
    for (int i = 0; i < 10; i++) {
        y = y * x[1] + x[0];
        double square = y * y;
        MPI_Allreduce(&square, &norm, 1, REAL, SUM, WORLD);
        if (norm > 1e3) break;
    }
    return y;
}
AD_FUNCTIONAL(norms)

static double settings(const double *x) {
    double factor = 2.5;
    MPI_Bcast(&factor, 1, REAL, 0, WORLD);
    return factor * x[0] * x[1];
}
AD_FUNCTIONAL(settings)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(ranks, 2), CHECK_FUNCTIONAL(counts, 2), CHECK_FUNCTIONAL(norms, 2), CHECK_FUNCTIONAL(settings, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 0.9);
    return check_done();
}
