/* Medians of times of any number of kinds, each measured in turn; inputs, clock and checks are those of bench.h. */
#ifndef MEASURE_H
#define MEASURE_H

#include "../codes/bench.h"

typedef struct measure_kind {
    const char *name;
    void (*run)(int which); /* with the kind's index */
} measure_kind;

enum { MEASURE_MOST_KINDS = 16 };

/* Medians of all kinds, each measured in turn. */
static inline void measure(const measure_kind *kinds, int count, double seconds, int runs) {
    static double times[MEASURE_MOST_KINDS][BENCH_MOST_RUNS];
    long repeats[MEASURE_MOST_KINDS];
    for (int kind = 0; kind < count; kind++) {
        kinds[kind].run(kind);
        double start = bench_now();
        kinds[kind].run(kind);
        double one = bench_now() - start;
        repeats[kind] = one < seconds ? (long)(seconds / fmax(one, 1e-7)) + 1 : 1;
    }
    for (int run = 0; run < runs; run++)
        for (int kind = 0; kind < count; kind++) {
            double start = bench_now();
            for (long i = 0; i < repeats[kind]; i++) kinds[kind].run(kind);
            times[kind][run] = (bench_now() - start) / (double)repeats[kind];
        }
    for (int kind = 0; kind < count; kind++) printf("time %s %.9e\n", kinds[kind].name, bench_median(times[kind], runs));
}

/* Directions as large as what they move. */
static inline double *measure_directions(const double *x, long inputs, long count) {
    double *v = bench_numbers(inputs * count, -1.0, 1.0);
    for (long i = 0; i < inputs * count; i++) v[i] *= fmax(fabs(x[i % inputs]), 0.1);
    return v;
}

static inline void measure_arguments(int count, char **arguments, double *seconds, int *runs) {
    *seconds = count > 3 ? atof(arguments[2]) : 0.0;
    *runs = count > 3 ? atoi(arguments[3]) : -1;
    if (*runs >= 0 && *runs <= BENCH_MOST_RUNS) return;
    fprintf(stderr, "usage: %s PREFIX SECONDS RUNS WORD...\n", arguments[0]);
    exit(2);
}

#endif
