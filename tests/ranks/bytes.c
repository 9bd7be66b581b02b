/* Messages of bytes (MPI_BYTE): records that the program packs into a buffer and sends to its neighbours, waited for or not, with as many as there happen to
 * be; an array of reals; floats; bytes that hold no reals; a datatype of bytes beside reals. */
#include "ranks.h"
#include "ad.h"

enum { N = 4 };

typedef struct {
    int name, kind;
    double x, y;
} record;

static int load(const double *x, char *to) {
    record *all = (record *)to;
    int n = 0;
    for (int i = 0; i < N; i++)
        if ((i + rank) % 3 != 1) all[n] = (record){i, rank, x[i], x[i] * x[(i + 1) % N]}, n++;
    return n * (int)sizeof(record);
}
static double unload(const double *x, const char *from, int bytes) {
    const record *all = (const record *)from;
    double s = 0;
    for (int i = 0; i < bytes / (int)sizeof(record); i++) s += all[i].x * x[all[i].name] * (1 + all[i].kind) + all[i].y * all[i].y;
    return s;
}
static double records(const double *x) {
    double s = 0;
    for (int step = 0; step < 2; step++) {
        char *out = malloc(N * sizeof(record)), *in = malloc(N * sizeof(record));
        MPI_Status status;
        int bytes = load(x, out), got;
        MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1 + step) % size, 5, in, N * sizeof(record), MPI_BYTE, (rank + 2 * size - 1 - step) % size, 5, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &got);
        s += unload(x, in, got);
        free(out), free(in);
    }
    return s;
}
/* Reals, whose adjoints are in the buffer alone. */
static double arrays(const double *x) {
    double out[N], in[N], s = 0;
    float less[3], more[3];
    MPI_Request q[4];
    for (int i = 0; i < N; i++) out[i] = sin(x[i]);
    for (int i = 0; i < 3; i++) less[i] = (float)x[i];
    MPI_Irecv(in, sizeof in, MPI_BYTE, (rank + 1) % size, 1, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(more, sizeof more, MPI_BYTE, (rank + 1) % size, 2, MPI_COMM_WORLD, &q[1]);
    MPI_Isend(out, sizeof out, MPI_BYTE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &q[2]);
    MPI_Isend(less, sizeof less, MPI_BYTE, (rank + size - 1) % size, 2, MPI_COMM_WORLD, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++) s += in[i] * x[N - 1 - i] * (i < 3 ? more[i] : 1);
    return s;
}
/* Numbers as bytes, into memory that is constant. */
static double numbers(const double *x) {
    int out[3] = {rank, 2 * rank, 3}, in[3];
    MPI_Sendrecv(out, sizeof out, MPI_BYTE, (rank + 1) % size, 0, in, sizeof in, MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return x[in[0] % N] * x[1] * in[1] + x[2] * x[2] * in[2];
}
static double mixed(const double *x) {
    record out[2] = {{1, 2, x[0] * x[1], x[2]}, {3, 4, x[3], x[0]}}, in[2];
    MPI_Datatype pair, all;
    int counts[2] = {8, 2};
    MPI_Aint at[2] = {0, offsetof(record, x)};
    MPI_Datatype types[2] = {MPI_BYTE, MPI_DOUBLE};
    MPI_Type_create_struct(2, counts, at, types, &pair);
    MPI_Type_create_resized(pair, 0, sizeof(record), &all);
    MPI_Type_commit(&all);
    MPI_Sendrecv(out, 2, all, (rank + 1) % size, 0, in, 2, all, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&pair), MPI_Type_free(&all);
    return in[0].x * in[1].y * x[1] + in[0].y * in[1].x * in[1].kind;
}

/* The directional derivative of the sum over all ranks, in three ways. */
static void check(const char *name, double (*f)(const double *), double tangent, const double *xb, const double *x, const double *xd, double tolerance) {
    double own = 0, up[N], down[N], h = tolerance > 1e-8 ? 1e-3 : 1e-5;
    for (int i = 0; i < N; i++) own += xb[i] * xd[i], up[i] = x[i] + h * xd[i], down[i] = x[i] - h * xd[i];
    double dot = ranks_sum(own), difference = (ranks_sum(f(up)) - ranks_sum(f(down))) / (2 * h);
    check_close(name, ranks_sum(tangent), dot, tolerance > 1e-8 ? 1e-5 : 1e-13);
    check_close(name, dot, difference, tolerance);
}
#define CHECK(f, tolerance)                                                   \
    do {                                                                      \
        double xb[N] = {0}, tangent = __ad_tangent((void *)f, x, xd);         \
        __ad_adjoint((void *)f, x, xb);                                       \
        check(#f, f, tangent, xb, x, xd, tolerance);                          \
    } while (0)

int main(int count, char **words) {
    ranks_begin(&count, &words);
    double x[N], xd[N];
    for (int i = 0; i < N; i++) x[i] = 0.5 + 0.2 * i + 0.3 * rank, xd[i] = cos(i + rank);
    CHECK(records, 1e-8);
    CHECK(arrays, 3e-4);
    CHECK(numbers, 1e-8);
    CHECK(mixed, 1e-8);
    return ranks_done();
}
