/* Every operation: the tangent against central differences, and the adjoint against the tangent. Of each, the numbers that it brings are
 * multiplied by others, so that the reverse sweep needs both. */
#include "ranks.h"
#include "ad.h"

enum { N = 24, MOST = 4 };

typedef void step(const double *x, double *s, double *r, double *y);

static MPI_Comm all;
static int left, right;

static void times(const double *r, const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i % N] += r[i] * x[i % N];
}

static void broadcast(const double *x, double *s, double *r, double *y) {
    (void)r;
    MPI_Bcast(s, N, MPI_DOUBLE, size - 1, all);
    times(s, x, y, N);
}
static void reduce_sum(const double *x, double *s, double *r, double *y) {
    MPI_Reduce(s, r, N, MPI_DOUBLE, MPI_SUM, 1 % size, all);
    times(r, x, y, N);
}
static void allreduce_product(const double *x, double *s, double *r, double *y) {
    MPI_Allreduce(s, r, N, MPI_DOUBLE, MPI_PROD, all);
    times(r, x, y, N);
}
static void allreduce_greatest(const double *x, double *s, double *r, double *y) {
    MPI_Allreduce(s, r, N, MPI_DOUBLE, MPI_MAX, all);
    times(r, x, y, N);
}
static void reduce_least(const double *x, double *s, double *r, double *y) {
    MPI_Reduce(s, r, N, MPI_DOUBLE, MPI_MIN, 0, all);
    times(r, x, y, N);
}
static void scan(const double *x, double *s, double *r, double *y) {
    MPI_Scan(s, r, N, MPI_DOUBLE, MPI_SUM, all);
    times(r, x, y, N);
}
static void exscan(const double *x, double *s, double *r, double *y) {
    MPI_Exscan(s, r, N, MPI_DOUBLE, MPI_SUM, all);
    times(r, x, y, N);
}
static void gather(const double *x, double *s, double *r, double *y) {
    MPI_Gather(s, 3, MPI_DOUBLE, r, 3, MPI_DOUBLE, 0, all);
    times(r, x, y, 3 * size);
}
static void scatter(const double *x, double *s, double *r, double *y) {
    MPI_Scatter(s, 3, MPI_DOUBLE, r, 3, MPI_DOUBLE, 0, all);
    times(r, x, y, 3);
}
static void allgather(const double *x, double *s, double *r, double *y) {
    MPI_Allgather(s, 3, MPI_DOUBLE, r, 3, MPI_DOUBLE, all);
    times(r, x, y, 3 * size);
}
static void alltoall(const double *x, double *s, double *r, double *y) {
    MPI_Alltoall(s, 4, MPI_DOUBLE, r, 4, MPI_DOUBLE, all);
    times(r, x, y, 4 * size);
}
static void reduce_scatter_block(const double *x, double *s, double *r, double *y) {
    MPI_Reduce_scatter_block(s, r, 2, MPI_DOUBLE, MPI_SUM, all);
    times(r, x, y, 2);
}
static void lists(int *counts, int *starts) {
    for (int i = 0; i < size; i++) counts[i] = i + 1, starts[i] = 5 * i;
}
static void reduce_scatter(const double *x, double *s, double *r, double *y) {
    int counts[MOST], starts[MOST];
    lists(counts, starts);
    MPI_Reduce_scatter(s, r, counts, MPI_DOUBLE, MPI_PROD, all);
    times(r, x, y, rank + 1);
}
static void gatherv(const double *x, double *s, double *r, double *y) {
    int counts[MOST], starts[MOST];
    lists(counts, starts);
    MPI_Gatherv(s, rank + 1, MPI_DOUBLE, r, counts, starts, MPI_DOUBLE, size - 1, all);
    times(r, x, y, 5 * size);
}
static void scatterv(const double *x, double *s, double *r, double *y) {
    int counts[MOST], starts[MOST];
    lists(counts, starts);
    MPI_Scatterv(s, counts, starts, MPI_DOUBLE, r, rank + 1, MPI_DOUBLE, 0, all);
    times(r, x, y, rank + 1);
}
static void allgatherv(const double *x, double *s, double *r, double *y) {
    int counts[MOST], starts[MOST];
    lists(counts, starts);
    MPI_Allgatherv(s, rank + 1, MPI_DOUBLE, r, counts, starts, MPI_DOUBLE, all);
    times(r, x, y, 5 * size);
}
static void alltoallv(const double *x, double *s, double *r, double *y) {
    int counts[MOST], from[MOST], to[MOST];
    for (int i = 0; i < size; i++) counts[i] = 1 + (rank + i) % 2, from[i] = 3 * i, to[i] = 4 * i;
    MPI_Alltoallv(s, counts, from, MPI_DOUBLE, r, counts, to, MPI_DOUBLE, all);
    times(r, x, y, 4 * size);
}
static void sum_in_place(const double *x, double *s, double *r, double *y) {
    (void)r;
    MPI_Allreduce(MPI_IN_PLACE, s, N, MPI_DOUBLE, MPI_SUM, all);
    times(s, x, y, N);
}
static void product_in_place(const double *x, double *s, double *r, double *y) {
    (void)r;
    if (rank == 0) MPI_Reduce(MPI_IN_PLACE, s, N, MPI_DOUBLE, MPI_PROD, 0, all);
    else MPI_Reduce(s, NULL, N, MPI_DOUBLE, MPI_PROD, 0, all);
    times(s, x, y, N);
}
static void allgather_in_place(const double *x, double *s, double *r, double *y) {
    for (int i = 0; i < 3; i++) r[3 * rank + i] = s[i];
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, r, 3, MPI_DOUBLE, all);
    times(r, x, y, 3 * size);
}
static void alltoall_in_place(const double *x, double *s, double *r, double *y) {
    for (int i = 0; i < 4 * size; i++) r[i] = s[i % N];
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DOUBLE, r, 4, MPI_DOUBLE, all);
    times(r, x, y, 4 * size);
}
static void halo(const double *x, double *s, double *r, double *y) {
    MPI_Request q[4];
    MPI_Irecv(r, 5, MPI_DOUBLE, left, 1, all, &q[0]);
    MPI_Irecv(r + 5, 5, MPI_DOUBLE, right, 2, all, &q[1]);
    MPI_Isend(s, 5, MPI_DOUBLE, right, 1, all, &q[2]);
    MPI_Isend(s + 5, 5, MPI_DOUBLE, left, 2, all, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    times(r, x, y, 10);
}
/* Two messages with one tag, the later one of which is waited for first, though any rank may have sent it. */
static void other_order(const double *x, double *s, double *r, double *y) {
    MPI_Request q[4];
    MPI_Irecv(r, 5, MPI_DOUBLE, left, 1, all, &q[0]);
    MPI_Irecv(r + 5, 5, MPI_DOUBLE, MPI_ANY_SOURCE, 1, all, &q[1]);
    MPI_Isend(s, 5, MPI_DOUBLE, right, 1, all, &q[2]);
    MPI_Isend(s + 5, 4, MPI_DOUBLE, right, 1, all, &q[3]);
    MPI_Wait(&q[1], MPI_STATUS_IGNORE);
    MPI_Wait(&q[0], MPI_STATUS_IGNORE);
    MPI_Waitall(2, q + 2, MPI_STATUSES_IGNORE);
    times(r, x, y, 9);
}
static void exchange(const double *x, double *s, double *r, double *y) {
    MPI_Status status;
    MPI_Sendrecv(s, 6, MPI_DOUBLE, right, 3, r, 6, MPI_DOUBLE, left, 3, all, &status);
    MPI_Sendrecv_replace(s + 6, 4, MPI_DOUBLE, left, 4, right, 4, all, MPI_STATUS_IGNORE);
    times(r, x, y, 6);
    times(s + 6, x, y, 4);
}
/* The ranks wait in different orders. */
static void not_waiting(const double *x, double *s, double *r, double *y) {
    MPI_Request q[2];
    double t[4] = {x[4], x[5], x[6], x[7]}, u[4];
    MPI_Iallreduce(s, r, N, MPI_DOUBLE, MPI_SUM, all, &q[0]);
    MPI_Ibcast(t, 4, MPI_DOUBLE, 0, all, &q[1]);
    for (int i = 0; i < 2; i++) MPI_Wait(&q[(rank + i) % 2], MPI_STATUS_IGNORE);
    MPI_Allreduce(t, u, 4, MPI_DOUBLE, MPI_SUM, all);
    times(r, x, y, N);
    for (int i = 0; i < 4; i++) y[i] += t[i] * u[i];
}
static void started_again(const double *x, double *s, double *r, double *y) {
    MPI_Request q[2];
    MPI_Send_init(s, 5, MPI_DOUBLE, right, 6, all, &q[0]);
    MPI_Recv_init(r, 5, MPI_DOUBLE, left, 6, all, &q[1]);
    for (int k = 0; k < 3; k++) {
        MPI_Startall(2, q);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 5; i++) s[i] = s[i] * r[i] + x[i];
    }
    MPI_Request_free(&q[0]), MPI_Request_free(&q[1]);
    times(s, x, y, 5);
}
static void strided(const double *x, double *s, double *r, double *y) {
    MPI_Datatype type;
    MPI_Type_vector(4, 2, 3, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(s, 1, type, right, 3, r, 8, MPI_DOUBLE, left, 3, all, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    times(r, x, y, 8);
}
struct record {
    int number;
    float weight;
    double values[2];
};
static void records(const double *x, double *s, double *r, double *y) {
    struct record out[2], in[2];
    MPI_Datatype type, plain;
    int lengths[3] = {1, 1, 2};
    MPI_Aint places[3] = {offsetof(struct record, number), offsetof(struct record, weight), offsetof(struct record, values)};
    MPI_Datatype types[3] = {MPI_INT, MPI_FLOAT, MPI_DOUBLE};
    (void)r;
    MPI_Type_create_struct(3, lengths, places, types, &plain);
    MPI_Type_create_resized(plain, 0, sizeof(struct record), &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 2; i++) {
        out[i].number = rank + i;
        out[i].weight = (float)(0.25 * (rank + 1));
        out[i].values[0] = s[2 * i], out[i].values[1] = s[2 * i + 1];
    }
    MPI_Sendrecv(out, 2, type, right, 3, in, 2, type, left, 3, all, MPI_STATUS_IGNORE);
    MPI_Type_free(&type), MPI_Type_free(&plain);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) y[2 * i + k] = in[i].values[k] * in[i].weight * x[k] * (1 + in[i].number);
}
static void halves(const double *x, double *s, double *r, double *y) {
    MPI_Comm half;
    MPI_Comm_split(all, rank % 2, -rank, &half);
    MPI_Allreduce(s, r, N, MPI_DOUBLE, MPI_SUM, half);
    MPI_Comm_free(&half);
    times(r, x, y, N);
}
static void greatest_with_place(const double *x, double *s, double *r, double *y) {
    struct { double value; int place; } own[3], most[3];
    (void)r;
    for (int i = 0; i < 3; i++) own[i].value = s[i], own[i].place = rank;
    MPI_Allreduce(own, most, 3, MPI_DOUBLE_INT, MPI_MAXLOC, all);
    for (int i = 0; i < 3; i++) y[i] = most[i].value * x[i] * (1 + most[i].place);
}
static void any_first(const double *x, double *s, double *r, double *y) {
    MPI_Request q[3];
    int at;
    for (int k = 0; k < 3; k++) MPI_Irecv(r + 4 * k, 4, MPI_DOUBLE, left, k, all, &q[k]);
    for (int k = 2; k >= 0; k--) MPI_Send(s + 4 * k, 4, MPI_DOUBLE, right, k, all);
    for (int n = 0; n < 3; n++) {
        MPI_Waitany(3, q, &at, MPI_STATUS_IGNORE);
        for (int i = 0; i < 4; i++) y[i] += r[4 * at + i] * x[i + at];
    }
}
static void asked(const double *x, double *s, double *r, double *y) {
    MPI_Request q;
    int flag = 0;
    MPI_Irecv(r, 4, MPI_DOUBLE, left, 0, all, &q);
    MPI_Send(s, 4, MPI_DOUBLE, right, 0, all);
    while (!flag) MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
    times(r, x, y, 4);
}
/* A ring, with one rank both neighbours of another where there are two. */
static void grid_neighbours(const double *x, double *s, double *r, double *y) {
    MPI_Comm grid;
    int sizes[2] = {size, 1}, periods[2] = {1, 0};
    MPI_Cart_create(all, 2, sizes, periods, 0, &grid);
    MPI_Neighbor_alltoall(s, 2, MPI_DOUBLE, r, 2, MPI_DOUBLE, grid);
    MPI_Neighbor_allgather(s + 8, 1, MPI_DOUBLE, r + 8, 1, MPI_DOUBLE, grid);
    MPI_Comm_free(&grid);
    times(r, x, y, 12);
}
static void graph_neighbours(const double *x, double *s, double *r, double *y) {
    MPI_Comm graph;
    int counts[2] = {1, 2}, from[2] = {0, 3}, to[2] = {5, 2}, sources[2] = {left, left}, targets[2] = {right, right};
    MPI_Dist_graph_create_adjacent(all, 2, sources, MPI_UNWEIGHTED, 2, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoallv(s, counts, from, MPI_DOUBLE, r, counts, to, MPI_DOUBLE, graph);
    MPI_Comm_free(&graph);
    times(r, x, y, 8);
}
static void long_doubles(const double *x, double *s, double *r, double *y) {
    long double own[4], product[4];
    (void)r;
    for (int i = 0; i < 4; i++) own[i] = s[i];
    MPI_Allreduce(own, product, 4, MPI_LONG_DOUBLE, MPI_PROD, all);
    for (int i = 0; i < 4; i++) y[i] = (double)product[i] * x[i];
}

static step *const steps[] = {broadcast, reduce_sum, allreduce_product, allreduce_greatest, reduce_least, scan, exscan, gather, scatter, allgather,
                              alltoall, reduce_scatter_block, reduce_scatter, gatherv, scatterv, allgatherv, alltoallv, sum_in_place, product_in_place,
                              allgather_in_place, alltoall_in_place, halo, other_order, exchange, not_waiting, started_again, strided, records, halves,
                              greatest_with_place, any_first, asked, grid_neighbours, graph_neighbours, long_doubles};
enum { STEPS = sizeof steps / sizeof *steps };

static void model(int which, const double *x, double *y) {
    double s[N], r[8 * N] = {0};
    for (int i = 0; i < N; i++) s[i] = x[i] * x[i] + 0.3 * i, y[i] = 0.0;
    steps[which](x, s, r, y);
}

void __ad_tangent_model(void *, int, const double *, const double *, double *, double *);
void __ad_adjoint_model(void *, int, const double *, double *, double *, double *);

static void check(int which) {
    double x[N], xd[N], xb[N] = {0}, y[N], yd[N] = {0}, yb[N], weights[N], more[N], less[N], high[N], low[N];
    const double h = 1e-5;
    char name[64];
    double by_tangent = 0.0, by_adjoint = 0.0, most = 1.0;
    for (int i = 0; i < N; i++) {
        x[i] = 0.7 + 0.3 * sin(rank * 3.1 + i * 1.7), xd[i] = cos(rank + 2.0 * i);
        yb[i] = weights[i] = sin(0.3 * i * i + rank);
        more[i] = x[i] + h * xd[i], less[i] = x[i] - h * xd[i];
    }
    __ad_tangent_model((void *)model, which, x, xd, y, yd);
    __ad_adjoint_model((void *)model, which, x, xb, y, yb);
    model(which, more, high), model(which, less, low);
    for (int i = 0; i < N; i++) most = fmax(most, fabs(yd[i]));
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "operation %d, rank %d, %d", which, rank, i);
        check_within(name, yd[i], (high[i] - low[i]) / (2 * h), 1e-7 * most);
        by_tangent += weights[i] * yd[i], by_adjoint += xb[i] * xd[i];
    }
    snprintf(name, sizeof name, "operation %d, adjoint", which);
    by_tangent = ranks_sum(by_tangent);
    check_within(name, ranks_sum(by_adjoint), by_tangent, 1e-12 * (1 + fabs(by_tangent)));
}

int main(int count, char **words) {
    ranks_begin(&count, &words);
    all = MPI_COMM_WORLD;
    left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int which = 0; which < STEPS; which++) check(which);
    return ranks_done();
}
