/* What the programs of checkpointed loops share: fields on a square of cells, times, checks.
 *
 *     PROGRAM CELLS STEPS SNAPSHOTS RUNS WHAT
 *
 * WHAT is `checkpointed`: primal and gradient in turn, RUNS times each, and the dot-product identity with the tangent; `all`: the gradient
 * that records all steps instead; `both`: both gradients, each once, and whether they agree to the last bit. Printed are `time KIND S`
 * (median of the process's time, in seconds), `check WHAT R`, and `count WHAT N`. */
#ifndef CHECKPOINTS_H
#define CHECKPOINTS_H

#include "ad.h"

#include "bench.h"

#include <sys/resource.h>

enum { MOST_FIELDS = 4, PARAMETERS = 2 };

/* One evaluation: sizes, parameters, fields, and shadows of both. */
typedef struct run {
    long n, steps;
    int snapshots;
    double p[PARAMETERS], shadow_p[PARAMETERS];
    double *field[MOST_FIELDS], *shadow[MOST_FIELDS];
} run;

/* A code, and its derivatives: those of fields and parameters are left in the shadows. */
typedef struct code {
    double (*primal)(const run *), (*tangent)(const run *);
    void (*gradient)(const run *), (*store_all)(const run *);
} code;

static inline void without_checkpoints(int snapshots) { (void)snapshots; }
static inline void without_size(const void *memory, unsigned long bytes) { (void)memory, (void)bytes; }

/* Fields of the start: waves with noise; new ones, and scratch memory, like the old. Shadows are zero. */
static inline void begin(run *r, int fields, const double *p) {
    long cells = r->n * r->n;
    bench_state = 20;
    for (int k = 0; k < PARAMETERS; k++) r->p[k] = p[k], r->shadow_p[k] = 0.0;
    for (int f = 0; f < fields; f++) {
        memset(r->shadow[f], 0, (size_t)cells * sizeof(double));
        if (f > (fields - 1) / 2) {
            memcpy(r->field[f], r->field[f % 2], (size_t)cells * sizeof(double));
            continue;
        }
        for (long i = 0; i < cells; i++) {
            double x = (double)(i / r->n) / (double)r->n, y = (double)(i % r->n) / (double)r->n;
            r->field[f][i] = 0.5 * sin(6.3 * x + f) * cos(9.4 * y) + 0.2 + bench_uniform(-0.05, 0.05);
        }
    }
}

/* The dot-product identity: the tangent in some direction, and the gradient, which is in the shadows, times the direction. */
static inline double transpose(run *r, int fields, const double *p, const code *c) {
    long cells = r->n * r->n;
    run direction = *r;
    double right = 0.0, size = 0.0;
    for (int k = 0; k < PARAMETERS; k++) {
        direction.shadow_p[k] = p[k] * (k ? 1.0 : -0.5);
        right += direction.shadow_p[k] * r->shadow_p[k], size += fabs(direction.shadow_p[k] * r->shadow_p[k]);
    }
    for (int f = 0; f < fields; f++) direction.shadow[f] = bench_alloc(cells, sizeof(double));
    begin(&direction, fields, p);
    for (int k = 0; k < PARAMETERS; k++) direction.shadow_p[k] = p[k] * (k ? 1.0 : -0.5);
    for (int f = 0; f < fields; f++)
        for (long i = 0; i < cells; i++) {
            double d = direction.shadow[f][i] = bench_uniform(-1.0, 1.0);
            right += d * r->shadow[f][i], size += fabs(d * r->shadow[f][i]);
        }
    double left = c->tangent(&direction);
    for (int f = 0; f < fields; f++) free(direction.shadow[f]);
    return fabs(left - right) / size;
}

/* How many of the numbers differ in any bit. */
static inline long differing(long count, const double *a, const double *b) {
    long differ = 0;
    for (long i = 0; i < count; i++) differ += memcmp(a + i, b + i, sizeof *a) != 0;
    return differ;
}

/* Both gradients, compared. */
static inline void compare(run *r, int fields, const double *p, const code *c) {
    long cells = r->n * r->n, differ = 0, numbers = 0;
    double worst = 0.0;
    run other = *r;
    for (int f = 0; f < fields; f++) other.shadow[f] = bench_alloc(cells, sizeof(double));
    begin(r, fields, p);
    c->gradient(r);
    begin(&other, fields, p);
    c->store_all(&other);
    for (int f = 0; f < fields; f++) {
        differ += differing(cells, r->shadow[f], other.shadow[f]);
        for (long i = 0; i < cells; i++) numbers += other.shadow[f][i] != 0.0;
        double d = bench_difference(cells, r->shadow[f], other.shadow[f]);
        if (!(d <= worst)) worst = d;
        free(other.shadow[f]);
    }
    printf("count differing_fields %ld\ncount nonzero_fields %ld\n", differ, numbers);
    printf("count differing_parameters %ld\n", differing(PARAMETERS, r->shadow_p, other.shadow_p));
    double parameters = bench_difference(PARAMETERS, r->shadow_p, other.shadow_p);
    printf("check by_records %.3e\n", parameters <= worst ? worst : parameters);

    /* Another schedule: one snapshot, or as many as steps. */
    run again = *r;
    again.snapshots = r->snapshots > 1 ? 1 : (int)r->steps;
    for (int f = 0; f < fields; f++) again.shadow[f] = bench_alloc(cells, sizeof(double));
    begin(&again, fields, p);
    c->gradient(&again);
    differ = differing(PARAMETERS, r->shadow_p, again.shadow_p);
    for (int f = 0; f < fields; f++) differ += differing(cells, r->shadow[f], again.shadow[f]), free(again.shadow[f]);
    printf("count differing_schedules %ld\n", differ);
}

static inline int run_code(int count, char **arguments, int fields, const double *p, code c) {
    if (count != 6) {
        fprintf(stderr, "usage: %s CELLS STEPS SNAPSHOTS RUNS checkpointed|all|both\n", arguments[0]);
        return 2;
    }
    run r = {.n = atol(arguments[1]), .steps = atol(arguments[2]), .snapshots = atoi(arguments[3])};
    int runs = atoi(arguments[4]);
    if (r.n < 3 || r.steps < 1 || runs < 1 || runs > BENCH_MOST_RUNS) return fprintf(stderr, "%s: sizes\n", arguments[0]), 2;
    for (int f = 0; f < fields; f++)
        r.field[f] = bench_alloc(r.n * r.n, sizeof(double)), r.shadow[f] = bench_alloc(r.n * r.n, sizeof(double));
    if (!strcmp(arguments[5], "both")) return compare(&r, fields, p, &c), 0;

    static double times[2][BENCH_MOST_RUNS];
    int stores_all = !strcmp(arguments[5], "all");
    for (int i = 0; i < runs; i++)
        for (int kind = 0; kind < 2; kind++) {
            begin(&r, fields, p);
            double start = bench_now();
            if (!kind) printf("value %.17g\n", c.primal(&r));
            else if (stores_all) c.store_all(&r);
            else c.gradient(&r);
            times[kind][i] = bench_now() - start;
        }
    printf("time primal %.9e\ntime gradient %.9e\n", bench_median(times[0], runs), bench_median(times[1], runs));
    struct rusage usage;
    if (!getrusage(RUSAGE_SELF, &usage)) printf("count memory %ld\n", usage.ru_maxrss * 1024L);
    printf("check transpose %.3e\n", transpose(&r, fields, p, &c));
    return 0;
}

#endif
