/* Checks of programs of several ranks: each rank checks, and rank 0 prints the closing line for all. */
#ifndef RANKS_H
#define RANKS_H

#include "../c/check.h"
#include <mpi.h>
#include <stddef.h>

static int rank, size;

static void ranks_begin(int *count, char ***words) {
    MPI_Init(count, words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static int ranks_done(void) {
    int own[2] = {check_passed_count, check_failed_count}, all[2];
    MPI_Reduce(own, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank != 0) return 0;
    check_passed_count = all[0], check_failed_count = all[1];
    return check_done();
}

/* The sum of what all ranks have. */
static double ranks_sum(double own) {
    double all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

#endif
