/* Receives that are all posted before a loop, in which each is waited for where its data are used: nothing may be read before, nor kept
 * from before. The data of one round are overwritten in the next one, while the products of both are needed. */
#include "ranks.h"
#include "ad.h"

enum { CHUNKS = 4, LENGTH = 5, ROUNDS = 3, ALL = CHUNKS * LENGTH };

struct channel {
    MPI_Comm all;
    int left, right;
    MPI_Request requests[CHUNKS];
};

/* In functions of their own, as libraries do. */
__attribute__((noinline)) static void begin(struct channel *c, double *in) {
    for (int k = 0; k < CHUNKS; k++) MPI_Irecv(in + k * LENGTH, LENGTH, MPI_DOUBLE, c->left, k, c->all, &c->requests[k]);
}
__attribute__((noinline)) static void end(struct channel *c, int k) { MPI_Wait(&c->requests[k], MPI_STATUS_IGNORE); }

static double by_functions(const double *x, struct channel *c) {
    double in[ALL], sum = 0.0, scale = 1.0;
    for (int t = 0; t < ROUNDS; t++) {
        begin(c, in);
        for (int k = 0; k < CHUNKS; k++) MPI_Send(x + k * LENGTH, LENGTH, MPI_DOUBLE, c->right, k, c->all);
        for (int k = 0; k < CHUNKS; k++) {
            end(c, k);
            for (int i = 0; i < LENGTH; i++) sum += scale * in[k * LENGTH + i] * in[k * LENGTH + i] * x[i];
        }
        scale *= in[t] * 0.5;
    }
    return sum;
}

static double at_once(const double *x, const struct channel *c) {
    double in[ALL], sum = 0.0, scale = 1.0;
    MPI_Request requests[CHUNKS];
    for (int t = 0; t < ROUNDS; t++) {
        for (int k = 0; k < CHUNKS; k++) MPI_Irecv(in + k * LENGTH, LENGTH, MPI_DOUBLE, c->left, k, c->all, &requests[k]);
        for (int k = CHUNKS; k-- > 0;) MPI_Send(x + k * LENGTH, LENGTH, MPI_DOUBLE, c->right, k, c->all);
        for (int i = 0; i < ALL; i++) {
            if (i % LENGTH == 0) MPI_Wait(&requests[i / LENGTH], MPI_STATUS_IGNORE);
            sum += scale * in[i] * in[i] * x[i % LENGTH];
        }
        scale *= in[t] * 0.5;
    }
    return sum;
}

typedef double model(const double *x, struct channel *c);

static double first(const double *x, struct channel *c) { return by_functions(x, c); }
static double second(const double *x, struct channel *c) { return at_once(x, c); }

static void check(const char *name, model *f, double tangent, const double *x, const double *xd, const double *xb, struct channel *c) {
    const double h = 1e-6;
    double more[ALL], less[ALL], by_adjoint = 0.0;
    for (int i = 0; i < ALL; i++) more[i] = x[i] + h * xd[i], less[i] = x[i] - h * xd[i], by_adjoint += xb[i] * xd[i];
    double difference = (f(more, c) - f(less, c)) / (2 * h);
    check_within(name, tangent, difference, 1e-7 * (1 + fabs(tangent)));
    tangent = ranks_sum(tangent);
    check_within(name, ranks_sum(by_adjoint), tangent, 1e-12 * (1 + fabs(tangent)));
}

int main(int count, char **words) {
    ranks_begin(&count, &words);
    struct channel c = {.all = MPI_COMM_WORLD, .left = (rank + size - 1) % size, .right = (rank + 1) % size}, shadow = c;
    double x[ALL], xd[ALL], xb[ALL] = {0};
    for (int i = 0; i < ALL; i++) x[i] = 1.0 + 0.3 * sin(i + rank), xd[i] = cos(2.0 * i - rank);
    double d = __ad_tangent((void *)first, x, xd, ad_dup, &c, &shadow);
    __ad_adjoint((void *)first, x, xb, ad_dup, &c, &shadow);
    check("by functions", first, d, x, xd, xb, &c);
    memset(xb, 0, sizeof xb);
    d = __ad_tangent((void *)second, x, xd, ad_const, &c);
    __ad_adjoint((void *)second, x, xb, ad_const, &c);
    check("at once", second, d, x, xd, xb, &c);
    return ranks_done();
}
