/* Handles of MPI (requests, a communicator, a datatype) in a struct beside active data, as the classes of simulations have them: where handles are
 * addresses, they lead to variables of the library, which have no shadows. */
#include "ranks.h"
#include "ad.h"

enum { N = 3 };

typedef struct {
    double *x, *out, *in;
    MPI_Request received[4], sent[4];
    MPI_Comm all;
    MPI_Datatype real;
    int previous, next;
} domain;

__attribute__((noinline)) static void begin(domain *d) {
    for (int i = 0; i < 4; i++) d->received[i] = MPI_REQUEST_NULL;
    MPI_Irecv(d->in, N, d->real, d->previous, 0, d->all, &d->received[1]);
}
__attribute__((noinline)) static void post(domain *d) {
    MPI_Status statuses[4];
    for (int i = 0; i < 4; i++) d->sent[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < N; i++) d->out[i] = d->x[i] * d->x[i];
    MPI_Isend(d->out, N, d->real, d->next, 0, d->all, &d->sent[2]);
    MPI_Waitall(4, d->sent, statuses);
}
__attribute__((noinline)) static double finish(domain *d) {
    double s = 0;
    MPI_Waitall(4, d->received, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++) s += d->in[i] * d->x[N - 1 - i];
    return s;
}
static double run(domain *d, int steps) {
    double s = 0;
    d->all = MPI_COMM_WORLD, d->real = MPI_DOUBLE;
    for (int k = 0; k < steps; k++) begin(d), post(d), s += (k + 1) * finish(d);
    return s;
}

int main(int count, char **words) {
    ranks_begin(&count, &words);
    double x[N], out[N], in[N], xb[N] = {0}, outb[N] = {0}, inb[N] = {0}, others[3][N], own = 0, sum;
    int at[3] = {rank, (rank + 1) % size, (rank + size - 1) % size};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++) others[k][i] = 1 + 0.3 * i + 0.7 * at[k];
    memcpy(x, others[0], sizeof x);
    domain d = {.x = x, .out = out, .in = in, .previous = at[2], .next = at[1]};
    domain shadow = {.x = xb, .out = outb, .in = inb};
    __ad_adjoint((void *)run, &d, &shadow, 2);
    for (int i = 0; i < N; i++) {
        double expected = 3 * (others[2][N - 1 - i] * others[2][N - 1 - i] + 2 * x[i] * others[1][N - 1 - i]);
        check_close("adjoint", xb[i], expected, 1e-14);
        own += xb[i] * (0.5 + i);
    }
    for (int i = 0; i < N; i++) xb[i] = 0.5 + i, outb[i] = inb[i] = 0;
    double dot = __ad_tangent((void *)run, &d, &shadow, 2), dots;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&dot, &dots, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check_close("dot product", dots, sum, 1e-13);
    return ranks_done();
}
