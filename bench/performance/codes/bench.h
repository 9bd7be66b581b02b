/* What the programs of the benchmark share: inputs, times, checks, files for the peers.
 *
 * A program describes its case as y = F(x) with tangent yd = F'(x) xd and a derivative that is *added* to `result`: F'(x)^T yb, or the
 * Jacobian where `times` is given. It calls `bench_run`. Arguments of the program:
 *
 *     PROGRAM PREFIX SECONDS RUNS WORD...
 *
 * WORDs choose the instance: a file of data or sizes. One measurement repeats until SECONDS have passed; RUNS of each kind are made in
 * turn, so that noise hits all alike. Printed are `time KIND S` (median, seconds of processor time per evaluation) and `check WHAT R`.
 * PREFIX.in receives what a peer needs (counts, sizes, data, x, seed; see bench_write), PREFIX.out the derivative, in the machine's
 * doubles. With RUNS 0 the derivative is evaluated once and nothing else: for the statistics of the tape.
 */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_SIZES = 8, BENCH_KINDS = 4, BENCH_MOST_RUNS = 101 };

typedef void bench_derivative(const double *x, double *result, double *y, double *yb); /* may consume yb */

typedef struct bench {
    long sizes[BENCH_SIZES]; /* what a peer has to know; unused ones are 0 */
    const double *data;      /* constants, for peers */
    long data_count;
    long inputs, outputs, results; /* results 0: as many as inputs */
    double *x;
    void (*primal)(const double *x, double *y);
    void (*tangent)(const double *x, const double *xd, double *y, double *yd);
    bench_derivative *gradient, *by_hand;
    /* For Jacobians: yd = result times xd. */
    void (*times)(const double *result, const double *xd, double *yd);
} bench;

static uint64_t bench_state = 20;

/* splitmix64, as a number in [low, high). */
static inline double bench_uniform(double low, double high) {
    uint64_t z = bench_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline void *bench_alloc(long count, size_t size) {
    void *memory = calloc(count ? (size_t)count : 1, size);
    if (memory) return memory;
    fprintf(stderr, "no memory for %ld elements\n", count);
    exit(2);
}

static inline double *bench_numbers(long count, double low, double high) {
    double *numbers = bench_alloc(count, sizeof *numbers);
    for (long i = 0; i < count; i++) numbers[i] = bench_uniform(low, high);
    return numbers;
}

/* Appends `count` numbers to `all` at `at`; where the next ones go. */
static inline long bench_append(double *all, long at, const double *from, long count) {
    memcpy(all + at, from, (size_t)count * sizeof *all);
    return at + count;
}

/* The WORD at `index` of the instance as a size. */
static inline long bench_size(int count, char **arguments, int index) {
    long size = index + 4 < count ? atol(arguments[index + 4]) : 0;
    if (size > 0) return size;
    fprintf(stderr, "%s: size %d of the instance is missing\n", arguments[0], index + 1);
    exit(2);
}

/* Whether the instance is a file (or several), which is then the first WORD. */
static inline const char *bench_file(int count, char **arguments) {
    return count > 4 && strpbrk(arguments[4], "/.") ? arguments[4] : NULL;
}

/* The process's own time: what else runs on the machine does not count. */
#ifndef BENCH_CLOCK
#define BENCH_CLOCK CLOCK_PROCESS_CPUTIME_ID
#endif
static inline double bench_now(void) {
    struct timespec time;
    clock_gettime(BENCH_CLOCK, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline int bench_by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double bench_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, bench_by_size);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/* The largest difference, each entry relative to its size or to a thousandth of the largest. NaN is larger than everything. */
static inline double bench_difference(long count, const double *a, const double *b) {
    double largest = 0.0, worst = 0.0;
    for (long i = 0; i < count; i++) largest = fmax(largest, fabs(b[i]));
    for (long i = 0; i < count; i++) {
        double d = a[i] == b[i] ? 0.0 * a[i] : fabs(a[i] - b[i]) / fmax(fabs(b[i]), 1e-3 * largest);
        if (!(d <= worst)) worst = d;
        if (isnan(worst)) break;
    }
    return worst;
}

static inline void bench_write(const char *prefix, const char *suffix, int parts, const double *const *part, const long *count) {
    char name[4096];
    snprintf(name, sizeof name, "%s%s", prefix, suffix);
    FILE *file = fopen(name, "wb");
    int is_written = file != NULL;
    for (int i = 0; is_written && i < parts; i++)
        is_written = fwrite(part[i], sizeof(double), (size_t)count[i], file) == (size_t)count[i];
    if (is_written && !fclose(file)) return;
    perror(name);
    exit(2);
}

typedef struct bench_memory {
    double *y, *yd, *xd, *seed, *yb, *result, *other;
} bench_memory;

/* One evaluation of a kind: 0 primal, 1 tangent, 2 gradient, 3 by hand. */
static inline void bench_evaluate(const bench *b, const bench_memory *m, int kind) {
    if (kind == 0) b->primal(b->x, m->y);
    if (kind == 1) b->tangent(b->x, m->xd, m->y, m->yd);
    if (kind < 2) return;
    memcpy(m->yb, m->seed, (size_t)b->outputs * sizeof *m->yb);
    (kind == 2 ? b->gradient : b->by_hand)(b->x, kind == 2 ? m->result : m->other, m->y, m->yb);
}

/* The tangent against central differences; both sums of <yd, yb> = <xd, xb>, or yd against Jacobian times xd; by hand. */
static inline void bench_check(const bench *b, const bench_memory *m) {
    long n = b->inputs, k = b->outputs;
    double *moved = bench_alloc(n, sizeof *moved), *low = bench_alloc(k, sizeof *low), *high = bench_alloc(k, sizeof *high);
    double h = 1e-6, *value = bench_alloc(k, sizeof *value);
    b->primal(b->x, value);
    for (long i = 0; i < n; i++) moved[i] = b->x[i] + h * m->xd[i];
    b->primal(moved, high);
    for (long i = 0; i < n; i++) moved[i] = b->x[i] - h * m->xd[i];
    b->primal(moved, low);
    for (long i = 0; i < k; i++) low[i] = (high[i] - low[i]) / (2.0 * h);
    bench_evaluate(b, m, 1);
    printf("check differences %.3e\n", bench_difference(k, low, m->yd));
    printf("check value_of_tangent %.3e\n", bench_difference(k, m->y, value));
    if (b->times) {
        b->times(m->result, m->xd, high);
        printf("check transpose %.3e\n", bench_difference(k, high, m->yd));
    } else {
        double left = 0.0, right = 0.0, size = 0.0;
        for (long i = 0; i < k; i++) left += m->yd[i] * m->seed[i], size += fabs(m->yd[i] * m->seed[i]);
        for (long i = 0; i < n; i++) right += m->xd[i] * m->result[i];
        printf("check transpose %.3e\n", fabs(left - right) / size);
    }
    bench_evaluate(b, m, 2);
    printf("check value_of_gradient %.3e\n", bench_difference(k, m->y, value));
    if (b->by_hand) {
        bench_evaluate(b, m, 3);
        bench_evaluate(b, m, 3); /* twice, as the gradient */
        printf("check by_hand %.3e\n", bench_difference(b->results ? b->results : n, m->other, m->result));
        printf("check value_by_hand %.3e\n", bench_difference(k, m->y, value));
    }
    free(moved), free(low), free(high), free(value);
}

static inline void bench_measure(const bench *b, const bench_memory *m, double seconds, int runs) {
    static const char *const names[BENCH_KINDS] = {"primal", "tangent", "gradient", "by_hand"};
    static double times[BENCH_KINDS][BENCH_MOST_RUNS];
    long repeats[BENCH_KINDS];
    for (int kind = 0; kind < BENCH_KINDS; kind++) {
        if (kind == 3 && !b->by_hand) continue;
        double start = bench_now();
        bench_evaluate(b, m, kind);
        double one = bench_now() - start;
        repeats[kind] = one < seconds ? (long)(seconds / fmax(one, 1e-7)) + 1 : 1;
    }
    for (int run = 0; run < runs; run++)
        for (int kind = 0; kind < BENCH_KINDS; kind++) {
            if (kind == 3 && !b->by_hand) continue;
            double start = bench_now();
            for (long i = 0; i < repeats[kind]; i++) bench_evaluate(b, m, kind);
            times[kind][run] = (bench_now() - start) / (double)repeats[kind];
        }
    for (int kind = 0; kind < BENCH_KINDS; kind++)
        if (kind != 3 || b->by_hand) printf("time %s %.9e\n", names[kind], bench_median(times[kind], runs));
}

static inline int bench_run(const bench *b, int count, char **arguments) {
    double seconds = count > 3 ? atof(arguments[2]) : 0.0;
    int runs = count > 3 ? atoi(arguments[3]) : -1;
    if (runs < 0 || runs > BENCH_MOST_RUNS) {
        fprintf(stderr, "usage: %s PREFIX SECONDS RUNS WORD...\n", arguments[0]);
        return 2;
    }
    long n = b->inputs, k = b->outputs, results = b->results ? b->results : n;
    bench_memory m = {.y = bench_alloc(k, sizeof(double)), .yd = bench_alloc(k, sizeof(double)), .yb = bench_alloc(k, sizeof(double))};
    m.xd = bench_numbers(n, -1.0, 1.0);
    m.seed = bench_numbers(k, 0.5, 1.5);
    m.result = bench_alloc(results, sizeof(double));
    m.other = bench_alloc(results, sizeof(double));
    /* Directions as large as what they move. */
    for (long i = 0; i < n; i++) m.xd[i] *= fmax(fabs(b->x[i]), 0.1);

    bench_evaluate(b, &m, 2);
    const double *out[1] = {m.result};
    bench_write(arguments[1], ".out", 1, out, &results);
    if (runs == 0) return 0;
    double header[BENCH_SIZES + 3] = {(double)b->data_count, (double)n, (double)k};
    for (int i = 0; i < BENCH_SIZES; i++) header[3 + i] = (double)b->sizes[i];
    const double *in[4] = {header, b->data, b->x, m.seed};
    const long counts[4] = {BENCH_SIZES + 3, b->data_count, n, k};
    bench_write(arguments[1], ".in", 4, in, counts);
    bench_check(b, &m);
    bench_measure(b, &m, seconds, runs);
    return 0;
}

#endif
