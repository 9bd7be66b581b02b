/* Message passing for a program that is alone: what MPI's functions of these names do with one rank. */
#include <string.h>

static unsigned long size_of(int type) {
    return type == 1 ? sizeof(double) : sizeof(int);
}
int MPI_Comm_rank(int comm, int *rank) {
    return *rank = 0, comm - comm;
}
int MPI_Comm_size(int comm, int *size) {
    return *size = 1, comm - comm;
}
int MPI_Barrier(int comm) {
    return comm - comm;
}
double MPI_Wtime(void) {
    return 1.5;
}
int MPI_Allreduce(const void *from, void *to, int count, int type, int op, int comm) {
    memcpy(to, from, (unsigned long)count * size_of(type));
    return op - op + comm - comm;
}
int MPI_Bcast(void *data, int count, int type, int root, int comm) {
    return data ? count - count + type - type + root - root + comm - comm : 1;
}
