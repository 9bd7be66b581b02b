/* Growing tables: structs that mix integers, reals and pointers go from block to block; realloc starts from null, makes
 * blocks shorter. */
// ad-sanitizers: address
#define _GNU_SOURCE
#include "requests.h"

enum { N = 6 };

typedef struct {
    int kind;
    double value;
    const double *from;
    float weight;
} entry;

typedef struct {
    entry *entries;
    size_t count, room;
} table;

static void append(table *t, int kind, const double *from) {
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 1;
        t->entries = realloc(t->entries, t->room * sizeof *t->entries);
    }
    entry *e = &t->entries[t->count++];
    e->kind = kind;
    e->value = *from * *from;
    e->from = from;
    e->weight = (float)*from;
}

static double table_sum(const double *x) {
    table t = {0};
    for (int i = 0; i < N; i++) append(&t, i % 3, x + i);
    double sum = 0.0;
    for (size_t i = 0; i < t.count; i++) {
        const entry *e = &t.entries[i];
        sum += e->kind == 0 ? e->value * *e->from : e->kind == 1 ? sin(e->value) : e->value * e->weight;
    }
    free(t.entries);
    return sum;
}

/* Shorter, then longer again: what was cut off is gone. */
static double *resized(double *t, size_t n) { return reallocarray(t, n, sizeof *t); }

static double shrinking(const double *x) {
    double *t = resized(NULL, N);
    for (int i = 0; i < N; i++) t[i] = x[i] * x[(i + 1) % N];
    double sum = t[N - 1];
    t = resized(t, 2);
    t = resized(t, N);
    for (int i = 2; i < N; i++) t[i] = t[i - 1] * x[i] + t[i - 2];
    for (int i = 0; i < N; i++) sum += t[i] * t[i];
    free(t);
    return sum;
}

AD_FUNCTIONAL(table_sum)
AD_FUNCTIONAL(shrinking)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(table_sum, N), CHECK_FUNCTIONAL(shrinking, N)};
    cases[0].tol_diff = 2e-6, cases[0].tol_dot = 1e-6, cases[0].step = 0.1; /* a member is a float */
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 4, 0.3, 1.3);
    return check_done();
}
