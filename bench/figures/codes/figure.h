/* What the programs of the benchmark share: deterministic inputs, times, the dot-product identity.
 *
 * A program describes its code as a map y = F(x) with tangent yd = F'(x) xd and adjoint xb += F'(x)^T yb, and calls
 * `figure_run`. Arguments of the program: RUNS FILE. It prints `primal_s S`, `gradient_s S` (medians of RUNS runs, primal
 * and gradient in turn), `checksum S` of the gradient and `dot R`, the residual of <yd, yb> = <xd, xb> relative to the
 * magnitudes of the terms; it writes the gradient, in the machine's doubles, to FILE.
 */
#ifndef FIGURE_H
#define FIGURE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct figure {
    long inputs, outputs;
    double *x; /* the point */
    void (*primal)(const double *x, double *y);
    void (*tangent)(const double *x, const double *xd, double *y, double *yd);
    void (*adjoint)(const double *x, double *xb, double *y, double *yb); /* may consume yb */
} figure;

static uint64_t figure_state = 20;

/* splitmix64, as a number in [low, high). */
static inline double figure_uniform(double low, double high) {
    uint64_t z = figure_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline void *figure_alloc(long count, size_t size) {
    void *memory = calloc((size_t)count, size);
    if (memory) return memory;
    fprintf(stderr, "no memory for %ld elements\n", count);
    exit(2);
}

static inline double *figure_numbers(long count, double low, double high) {
    double *numbers = figure_alloc(count, sizeof *numbers);
    for (long i = 0; i < count; i++) numbers[i] = figure_uniform(low, high);
    return numbers;
}

/* The process's own time: what else runs on the machine does not count. */
static inline double figure_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline int figure_by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double figure_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, figure_by_size);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static inline int figure_run(const figure *f, int count, char **arguments) {
    int runs = count == 3 ? atoi(arguments[1]) : 0;
    if (runs < 1) {
        fprintf(stderr, "usage: %s RUNS FILE\n", arguments[0]);
        return 2;
    }
    long n = f->inputs, m = f->outputs;
    double *y = figure_alloc(m, sizeof(double)), *yd = figure_alloc(m, sizeof(double)), *xb = figure_alloc(n, sizeof(double));
    double *xd = figure_numbers(n, -1.0, 1.0), *seed = figure_numbers(m, 0.5, 1.5), *yb = figure_alloc(m, sizeof(double));
    double *times = figure_alloc(2 * runs, sizeof *times);

    f->tangent(f->x, xd, y, yd);
    memcpy(yb, seed, (size_t)m * sizeof *yb);
    f->adjoint(f->x, xb, y, yb);
    double left = 0.0, right = 0.0, left_size = 0.0, right_size = 0.0, checksum = 0.0;
    for (long j = 0; j < m; j++) left += yd[j] * seed[j], left_size += fabs(yd[j] * seed[j]);
    for (long i = 0; i < n; i++) right += xd[i] * xb[i], right_size += fabs(xd[i] * xb[i]), checksum += xb[i];

    FILE *file = fopen(arguments[2], "wb");
    if (!file || fwrite(xb, sizeof *xb, (size_t)n, file) != (size_t)n || fclose(file)) {
        perror(arguments[2]);
        return 2;
    }
    for (int run = 0; run < runs; run++) {
        double start = figure_now();
        f->primal(f->x, y);
        double middle = figure_now();
        times[run] = middle - start;
        memset(xb, 0, (size_t)n * sizeof *xb);
        memcpy(yb, seed, (size_t)m * sizeof *yb);
        start = figure_now();
        f->adjoint(f->x, xb, y, yb);
        times[runs + run] = figure_now() - start;
    }
    printf("primal_s %.9e\ngradient_s %.9e\n", figure_median(times, runs), figure_median(times + runs, runs));
    printf("checksum %.17e\ndot %.3e\n", checksum, fabs(left - right) / fmax(left_size, right_size));
    return 0;
}

#endif
