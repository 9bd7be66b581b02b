/* Copies of shared memory of which the types do not say what it holds, in parallel regions: members of unions, beside pointers, that many threads copy before
 * they use them; records of floats in the same way; a row of pointers and a row of reals of one struct, of which regions in functions get both. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <omp.h>
#include <string.h>

#define APART __attribute__((noinline)) static

enum { N = 4, M = 40 };

/* A number, or where one is. */
typedef struct {
    union {
        double number;
        const double *place;
    } is;
    long kind;
} item;
static double valued(const item *one) { return one->kind ? *one->is.place : one->is.number; }

static double items(const double *x) {
    static item all[M];
    double s = 0;
    for (int i = 0; i < M; i++) {
        all[i].kind = i % 3 == 0;
        if (all[i].kind) all[i].is.place = &x[i % N];
        else all[i].is.number = x[i % N] * x[(i + 1) % N];
    }
#pragma omp parallel for reduction(+ : s) schedule(static, 3)
    for (int i = 0; i < 4 * M; i++) {
        item own = all[i % M], other = all[(i * 7) % M];
        s += valued(&own) * valued(&other) * (1 + 0.01 * i);
    }
    return s;
}
/* Copies within shared memory, which other threads read later. */
static double moved(const double *x) {
    item from[M], to[M];
    double s = 0;
    for (int i = 0; i < M; i++) {
        from[i].kind = i % 4 == 1;
        if (from[i].kind) from[i].is.place = &x[i % N];
        else from[i].is.number = sin(x[i % N] + i);
    }
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < M; i++) to[i] = from[(i * 3) % (M / 2)];
#pragma omp for reduction(+ : s)
        for (int i = 0; i < M; i++) s += valued(&to[i]) * valued(&to[M - 1 - i]);
    }
    return s;
}
typedef struct {
    double *values, *results;
    int **lists, *counts, lists_in_all;
} mesh;
APART void gather(mesh *m, const int *list, int count) {
    double *local = malloc(count * sizeof *local);
#pragma omp parallel for
    for (int i = 0; i < count; i++) local[i] = m->values[list[i]];
#pragma omp parallel for
    for (int i = 0; i < count; i++) m->results[list[i]] += local[i] * local[count - 1 - i];
    free(local);
}
static double listed(const double *x) {
    double values[M], results[M] = {0}, s = 0;
    int first[M / 2], second[M], counts[2] = {M / 2, M}, *lists[2] = {first, second};
    for (int i = 0; i < M; i++) {
        values[i] = x[i % N] * (1 + 0.1 * i), second[i] = (i * 3) % M;
        if (i % 2) first[i / 2] = i;
    }
    mesh m = {values, results, lists, counts, 2};
    for (int k = 0; k < m.lists_in_all; k++) gather(&m, m.lists[k], m.counts[k]);
    for (int i = 0; i < M; i++) s += results[i] * (1 + 0.3 * i);
    return s / M;
}

AD_FUNCTIONAL(items)
AD_FUNCTIONAL(moved)
AD_FUNCTIONAL(listed)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(items, N), CHECK_FUNCTIONAL(moved, N), CHECK_FUNCTIONAL(listed, N)};
    for (int threads = 1; threads <= 4; threads++) {
        omp_set_num_threads(threads);
        double x[N] = {0.7, 0.4, 0.9, 0.8};
        for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) check_at(&cases[i], x);
    }
    return check_done();
}
