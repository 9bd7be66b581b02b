/* Messages within parallel regions: the main thread sends and receives what all threads have written, and other threads read the same arrays meanwhile. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
#include "ranks.h"
#include "ad.h"
#include <omp.h>

enum { N = 40, STEPS = 3 };

static double run(const double *x) {
    static double u[N + 2], next[N + 2], out[2], in[2];
    double s = 0, all = 0;
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < N; i++) u[i + 1] = x[i % 4] * (1 + 0.02 * i);
#pragma omp parallel
    {
        for (int t = 0; t < STEPS; t++) {
#pragma omp single
            out[0] = u[1] * u[2], out[1] = u[N];
#pragma omp master
            {
                MPI_Request q[4];
                MPI_Irecv(&in[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &q[0]);
                MPI_Irecv(&in[1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &q[1]);
                MPI_Isend(&out[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &q[2]);
                MPI_Isend(&out[1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &q[3]);
                MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
                u[0] = in[0], u[N + 1] = in[1];
            }
            double own = 0;
#pragma omp for
            for (int i = 2; i < N; i++) next[i] = u[i] + 0.2 * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]) + 0.01 * out[i % 2];
#pragma omp single
            for (int i = 1; i <= N; i += N - 1) next[i] = u[i] + 0.2 * u[i] * (u[i - 1] - 2 * u[i] + u[i + 1]);
#pragma omp for
            for (int i = 1; i <= N; i++) u[i] = next[i], own += next[i] * next[i] * in[i % 2];
#pragma omp atomic
            s += own;
#pragma omp barrier
        }
#pragma omp master
        MPI_Allreduce(&s, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return s + 0.1 * all;
}

int main(int count, char **words) {
    int level;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int threads = 1; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        double x[4], xd[4], xb[4] = {0}, up[4], down[4], own = 0, h = 1e-5;
        for (int i = 0; i < 4; i++) x[i] = 0.4 + 0.1 * i + 0.05 * rank, xd[i] = cos(i + rank), up[i] = x[i] + h * xd[i], down[i] = x[i] - h * xd[i];
        double tangent = ranks_sum(__ad_tangent((void *)run, x, xd));
        __ad_adjoint((void *)run, x, xb);
        for (int i = 0; i < 4; i++) own += xb[i] * xd[i];
        double dot = ranks_sum(own), difference = (ranks_sum(run(up)) - ranks_sum(run(down))) / (2 * h);
        check_close("dot product", dot, tangent, 1e-12);
        check_close("difference", dot, difference, 1e-7);
    }
    return ranks_done();
}
