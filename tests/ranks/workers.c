/* A master gives tasks to workers that are free, and takes results from any rank (MPI_ANY_SOURCE): which worker does what differs from run
 * to run, and the reverse sweep does what the forward sweep did. Threads of each worker divide its task (OpenMP). */
#include "ranks.h"
#include "ad.h"

enum { TASKS = 12, PARTS = 50, WORK = 1, RESULT = 2, STOP = 3 };

static double task(double x, int number) {
    double s = 0.0;
#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (int i = 0; i < PARTS; i++) s += sin(x * (i + 1) / PARTS) * cos(0.1 * number * x);
    return s;
}

static double master(const double *x, MPI_Comm all, int size) {
    double result[TASKS], sum = 0.0;
    int given = 0, order[TASKS];
    MPI_Status status;
    for (int r = 1; r < size; r++) {
        if (given < TASKS) MPI_Send(&x[given], 1, MPI_DOUBLE, r, WORK + 10 * given, all), order[given++] = r;
        else MPI_Send(NULL, 0, MPI_DOUBLE, r, STOP, all);
    }
    for (int done = 0; done < TASKS; done++) {
        double got;
        MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, all, &status);
        int number = status.MPI_TAG / 10;
        result[number] = got * got;
        if (given < TASKS) MPI_Send(&x[given], 1, MPI_DOUBLE, status.MPI_SOURCE, WORK + 10 * given, all), order[given++] = status.MPI_SOURCE;
        else MPI_Send(NULL, 0, MPI_DOUBLE, status.MPI_SOURCE, STOP, all);
    }
    for (int i = 0; i < TASKS; i++) sum += result[i] * (i + 1);
    return sum;
}

static void worker(MPI_Comm all) {
    for (;;) {
        double x = 0.0, y;
        MPI_Status status;
        MPI_Recv(&x, 1, MPI_DOUBLE, 0, MPI_ANY_TAG, all, &status);
        if (status.MPI_TAG == STOP) return;
        y = task(x, status.MPI_TAG / 10);
        MPI_Send(&y, 1, MPI_DOUBLE, 0, RESULT + 10 * (status.MPI_TAG / 10), all);
    }
}

static double model(const double *x, MPI_Comm all) {
    int rank, size;
    MPI_Comm_rank(all, &rank), MPI_Comm_size(all, &size);
    if (rank == 0) return master(x, all, size);
    worker(all);
    return 0.0;
}

static double alone(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < TASKS; i++) sum += task(x[i], i) * task(x[i], i) * (i + 1);
    return sum;
}


int main(int count, char **words) {
    ranks_begin(&count, &words);
    double x[TASKS], xd[TASKS], xb[TASKS] = {0}, own[TASKS] = {0};
    for (int i = 0; i < TASKS; i++) x[i] = 0.5 + 0.1 * i, xd[i] = cos(2.0 * i);
    double expected = __ad_tangent((void *)alone, x, xd);
    __ad_adjoint((void *)alone, x, xb);
    for (int k = 0; size > 1 && k < 3; k++) {
        double got = __ad_tangent((void *)model, x, xd, ad_const, MPI_COMM_WORLD);
        memset(own, 0, sizeof own);
        __ad_adjoint((void *)model, x, own, ad_const, MPI_COMM_WORLD);
        if (rank == 0) check_close("tangent", got, expected, 1e-12);
        for (int i = 0; i < TASKS; i++) check_within("adjoint", own[i], rank == 0 ? xb[i] : 0.0, 1e-12 * fabs(xb[i]));
    }
    if (size == 1) check_true("nobody works", 1);
    return ranks_done();
}
