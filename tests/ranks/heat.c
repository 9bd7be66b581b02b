/* Time steps of a heat equation, whose rod is divided among the ranks, with halos that are not waited for while the inner cells are
 * computed: beside the gradient of one rank that has all of the rod. Diffusivities are of each cell, and of time. */
#include "ranks.h"
#include "ad.h"

enum { CELLS = 48, STEPS = 30 };

static double target(int cell) { return sin(0.2 * cell); }

/* `u` has two cells more. */
static void exchange(double *u, int n, MPI_Comm all) {
    int r, p;
    MPI_Request q[4];
    MPI_Comm_rank(all, &r), MPI_Comm_size(all, &p);
    int left = r > 0 ? r - 1 : MPI_PROC_NULL, right = r < p - 1 ? r + 1 : MPI_PROC_NULL;
    MPI_Irecv(&u[0], 1, MPI_DOUBLE, left, 0, all, &q[0]);
    MPI_Irecv(&u[n + 1], 1, MPI_DOUBLE, right, 1, all, &q[1]);
    MPI_Isend(&u[1], 1, MPI_DOUBLE, left, 1, all, &q[2]);
    MPI_Isend(&u[n], 1, MPI_DOUBLE, right, 0, all, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}

static double misfit(const double *start, const double *k, int n, int first, MPI_Comm all) {
    double *u = calloc(n + 2, sizeof *u), *next = calloc(n + 2, sizeof *next), own = 0.0, sum;
    for (int i = 0; i < n; i++) u[i + 1] = start[i];
    for (int t = 0; t < STEPS; t++) {
        exchange(u, n, all);
        for (int i = 1; i <= n; i++) next[i] = u[i] + 0.2 * k[i - 1] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) + 0.001 * u[i] * u[i];
        double *other = u;
        u = next, next = other;
    }
    for (int i = 0; i < n; i++) own += (u[i + 1] - target(first + i)) * (u[i + 1] - target(first + i));
    free(u), free(next);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, all);
    return sum;
}


int main(int count, char **words) {
    ranks_begin(&count, &words);
    int first = CELLS * rank / size, n = CELLS * (rank + 1) / size - first;
    double start[CELLS], k[CELLS], startdot[CELLS], kd[CELLS], startb[CELLS] = {0}, kb[CELLS] = {0};
    for (int i = 0; i < CELLS; i++) {
        start[i] = cos(0.3 * i), k[i] = 1.0 + 0.2 * sin(i), startdot[i] = sin(2.0 * i), kd[i] = cos(3.0 * i);
    }
    /* All of it, by each rank alone. */
    double alone = __ad_tangent((void *)misfit, start, startdot, k, kd, CELLS, 0, ad_const, MPI_COMM_SELF);
    __ad_adjoint((void *)misfit, start, startb, k, kb, CELLS, 0, ad_const, MPI_COMM_SELF);
    double ownb[CELLS] = {0}, ownkb[CELLS] = {0};
    double together = __ad_tangent((void *)misfit, start + first, startdot + first, k + first, kd + first, n, first, ad_const, MPI_COMM_WORLD);
    /* Each rank asks for its own copy of the sum. */
    __ad_adjoint((void *)misfit, start + first, ownb, k + first, ownkb, n, first, ad_const, MPI_COMM_WORLD);
    check_close("tangent", together, alone, 1e-12);
    for (int i = 0; i < n; i++) {
        check_within("adjoint of the start", ownb[i], size * startb[first + i], 1e-12 * size);
        check_within("adjoint of the diffusivity", ownkb[i], size * kb[first + i], 1e-12 * size);
    }
    return ranks_done();
}
