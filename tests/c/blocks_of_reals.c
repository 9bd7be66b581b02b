/* As blocks_of_callees.c, with unions that always hold a real: where integers of one block hide those of another, no check finds it. */
// ad-i386: none, its unions hold words of eight bytes
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 4 };

typedef struct {
    size_t k;
    char tag;
    union {
        double d;
        long i;
        struct {
            double a;
            long n;
        } s;
    } u;
    unsigned short n;
    double x;
    unsigned other;
    union {
        double d;
        int i;
        struct {
            double a;
            int n;
        } s;
    } v;
    double last[2];
} record;

static void fill(record *r, const double *x, int k) {
    r->x = x[k] * 0.3484;
    r->k = (k + 2) % 4;
    r->tag = (k + 2) % 3;
    r->u.s.a = 0.5 * x[(k + 1) % N], r->u.s.n = 2;
    r->n = (k + 1) % 4;
    r->other = (k + 2) % 3 == 1 ? 2 : 0;
    r->v.s.a = 0.5 * x[(k + 1) % N], r->v.s.n = 2;
    r->last[0] = x[(k + 1) % N] * 0.5002, r->last[1] = x[(k + 2) % N] * 0.5639;
}
static double value(const record *r) {
    double u = r->tag == 0 ? r->u.d : r->u.s.a;
    double v = r->other == 0 ? r->v.d : r->v.s.a;
    return 1.1858 * r->x + 0.25 * (double)r->k + u * r->x + 0.25 * r->n + v + 0.5269 * r->last[0] * r->last[1];
}
/* All blocks of one function. */
APART void permute(record *a, int n) {
    int *order = malloc(n * sizeof *order);
    record *copy = malloc(n * sizeof *copy);
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            if (a[order[k]].k < a[order[i]].k) {
                int other = order[i];
                order[i] = order[k], order[k] = other;
            }
    for (int i = 0; i < n; i++) copy[i] = a[order[i]];
    for (int i = 0; i < n; i++) a[i] = copy[i];
    free(copy), free(order);
}
APART void through(record *a, int n) { permute(a, n); }
static double permuted(const double *x) {
    record a[N];
    double sum = 0;
    for (int i = 0; i < N; i++) fill(&a[i], x, i);
    through(a, N);
    for (int i = 0; i < N; i++) sum += value(&a[i]) * (i + 1);
    return sum;
}

/* Those of a function that returns them in a struct. */
typedef struct {
    int *order;
    record *records;
    int n;
} table;

APART table made(const record *a, int n) {
    table t = {malloc(n * sizeof *t.order), malloc(n * sizeof *t.records), n};
    for (int i = 0; i < n; i++) t.order[i] = (i * 3 + 1) % n;
    memcpy(t.records, a, n * sizeof *a);
    return t;
}
APART void turn(table *t) {
    record *all = malloc(t->n * sizeof *all);
    for (int i = 0; i < t->n; i++) all[i] = t->records[t->order[i]];
    free(t->records);
    t->records = all;
}
static double tables(const double *x) {
    record a[N];
    for (int i = 0; i < N; i++) fill(&a[i], x, i);
    table t = made(a, N);
    turn(&t), turn(&t);
    record *copy = malloc(N * sizeof *copy);
    for (int i = 0; i < N; i++) copy[t.order[i]] = t.records[i];
    double sum = 0;
    for (int i = 0; i < N; i++) sum += value(&copy[i]) * (i + 0.5) + value(&t.records[i]) * i;
    free(copy), free(t.order), free(t.records);
    return sum;
}

AD_FUNCTIONAL(permuted)
AD_FUNCTIONAL(tables)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(permuted, N), CHECK_FUNCTIONAL(tables, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 6, 0.3, 1.1);
    return check_done();
}
