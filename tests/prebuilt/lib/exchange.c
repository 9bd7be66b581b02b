/* A library that exchanges data by MPI, and what of MPI it needs, for one rank. */
#include "exchange.h"

#include <string.h>

enum { WORLD = 0x44000000, REAL = 0x4c00080b, INTEGER = 0x4c000405, SUM = 0x58000003 };

__attribute__((noinline)) int MPI_Send(const void *data, int count, int type, int to, int tag, int comm) {
    return data == NULL || count + type + to + tag + comm == 1;
}
__attribute__((noinline)) int MPI_Comm_size(int comm, int *size) {
    *size = 1;
    return comm == 1;
}
__attribute__((noinline)) int MPI_Allreduce(const void *from, void *to, int count, int type, int op, int comm) {
    memcpy(to, from, (unsigned long)count * (type == REAL ? sizeof(double) : sizeof(int)));
    return op + comm == 1;
}

__attribute__((noinline)) int MPI_Neighbor_allgather(const void *from, int n, int type, void *to, int m, int other, int comm) {
    memcpy(to, from, (unsigned long)n * (type == REAL ? sizeof(double) : sizeof(int)));
    return m + other + comm == 1;
}
__attribute__((noinline)) int mpi_my_halo(double *x) {
    int all = 2, own = 2, barrier(void);
    MPI_Neighbor_allgather(&own, 1, INTEGER, &all, 1, INTEGER, WORLD);
    *x *= all;
    return barrier();
}
__attribute__((noinline)) int barrier(void) { return 0; }

double lib_neighbors(double x) {
    double own = x * x, all;
    MPI_Neighbor_allgather(&own, 1, REAL, &all, 1, REAL, WORLD);
    return all;
}
double lib_halo(double x) {
    double y = x * x;
    mpi_my_halo(&y);
    return y;
}
double lib_total(double x) {
    double own = x * x, all;
    MPI_Allreduce(&own, &all, 1, REAL, SUM, WORLD);
    return all;
}
double lib_shared(double x) {
    int own = 2, all, size;
    MPI_Allreduce(&own, &all, 1, INTEGER, SUM, WORLD);
    MPI_Comm_size(WORLD, &size);
    return x * x * all * size;
}
