/* What the programs of threads share. Arguments as in bench.h, but times are those of the clock on the wall:
 *
 *     PROGRAM PREFIX SECONDS RUNS WORD...
 *
 * A program defines CODE, the file with its code, and includes both.h, which includes that twice: without its directives, OMP(...), and with them. NAME(x)
 * is the name that `x` has in either; each has
 *     double NAME(value)(void);       the function
 *     void NAME(gradient)(void);      its gradient
 * Measured are both, without directives, with one thread and with as many as the machine has processors. Checks: the gradient without directives against a
 * central difference along a direction, and those of threads against it.
 */
#ifndef THREADS_H
#define THREADS_H

#define BENCH_CLOCK CLOCK_MONOTONIC
#include "../second/measure.h"

#include <ad.h>
#include <omp.h>

/* The independent variables, and where their adjoints lie. */
typedef struct threads {
    long inputs;
    double *x, *adjoint;
    double (*serial)(void), (*team)(void);
    void (*serial_gradient)(void), (*team_gradient)(void);
} threads;

static const threads *threads_code;
static double threads_sink;

static void threads_serial(int which) { (void)which, threads_sink += threads_code->serial(); }
static void threads_serial_gradient(int which) { (void)which, threads_code->serial_gradient(); }
static void threads_one(int which) { (void)which, omp_set_num_threads(1), threads_sink += threads_code->team(); }
static void threads_one_gradient(int which) { (void)which, omp_set_num_threads(1), threads_code->team_gradient(); }
static void threads_all(int which) { (void)which, omp_set_num_threads(omp_get_num_procs()), threads_sink += threads_code->team(); }
static void threads_all_gradient(int which) { (void)which, omp_set_num_threads(omp_get_num_procs()), threads_code->team_gradient(); }

static void threads_check(void) {
    const threads *t = threads_code;
    double *direction = measure_directions(t->x, t->inputs, 1), *keep = bench_alloc(t->inputs, sizeof *keep);
    t->serial_gradient();
    double sum = 0, h = 1e-6, ends[2];
    for (long i = 0; i < t->inputs; i++) sum += t->adjoint[i] * direction[i], keep[i] = t->adjoint[i];
    for (int end = 0; end < 2; end++) {
        double move = end ? -h : h;
        for (long i = 0; i < t->inputs; i++) t->x[i] += move * direction[i];
        ends[end] = t->serial();
        for (long i = 0; i < t->inputs; i++) t->x[i] -= move * direction[i];
    }
    double slope = (ends[0] - ends[1]) / (2 * h);
    printf("check differences %.3e\n", fabs(sum - slope) / fmax(fabs(slope), 1.0));
    for (int threads = 1; threads <= 4; threads++) {
        omp_set_num_threads(threads);
        t->team_gradient();
        printf("check threads%d %.3e\n", threads, bench_difference(t->inputs, t->adjoint, keep));
    }
    free(direction), free(keep);
}

static int threads_run(const threads *code, int count, char **arguments) {
    static const measure_kind kinds[] = {
        {"primal", threads_serial}, {"gradient", threads_serial_gradient}, {"primal1", threads_one},
        {"gradient1", threads_one_gradient}, {"primals", threads_all}, {"gradients", threads_all_gradient},
    };
    double seconds;
    int runs;
    measure_arguments(count, arguments, &seconds, &runs);
    threads_code = code;
    omp_set_dynamic(0);
    threads_check();
    printf("count threads %d\n", omp_get_num_procs());
    if (runs > 0) measure(kinds, sizeof kinds / sizeof *kinds, seconds, runs);
    return 0;
}

#endif
