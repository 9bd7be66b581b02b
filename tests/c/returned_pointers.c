/* Functions out of line that return pointers to active memory: into what they are given, chosen by data, fresh memory
 * that they filled or that the caller fills, a constant table or active memory, by recursion; pointers to pointers. */
#include "requests.h"

enum { N = 4 };
#define NOINLINE __attribute__((noinline))

static NOINLINE double *row(double *a, int i) { return a + 3 * i; }
static NOINLINE const double *largest(const double *x, int n) {
    if (n == 1) return x;
    const double *rest = largest(x + 1, n - 1);
    return *x > *rest ? x : rest;
}
static double rows(const double *x) {
    double a[12], sum = 0.0;
    for (int i = 0; i < 12; i++) a[i] = x[i % N] * (i + 1);
    for (int i = 0; i < 4; i++) {
        double *r = row(a, i), *next = row(a, (i + 1) % 4);
        for (int k = 0; k < 3; k++) r[k] = r[k] * next[k] + x[k]; /* overwritten through what is returned */
        sum += r[i % 3];
    }
    return sum * row(a, 2)[1];
}
static double chosen(const double *x) {
    const double *p = largest(x, N);
    return *p * *p + x[0] * largest(x + 1, 2)[0];
}

static NOINLINE double *filled(const double *x, int n) {
    double *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++) p[i] = x[i] * x[(i + 1) % n];
    return p;
}
static NOINLINE double *empty(int n) { return calloc(n, sizeof(double)); }
static double fresh(const double *x) {
    double sum = 0.0;
    double *work = empty(N); /* nothing active is given; it becomes active here */
    for (int round = 0; round < 3; round++) {
        double *p = filled(x, N);
        for (int i = 0; i < N; i++) {
            work[i] += p[i] * sin(p[(i + round) % N]);
            p[i] *= work[i];
        }
        sum += p[round] * work[3];
        free(p);
    }
    free(work);
    return sum;
}

static const double table[N] = {0.5, 1.5, 2.5, 3.5};
static NOINLINE const double *table_or(const double *x, int which) { return which ? x : table; }
static double constant_or_active(const double *x) {
    double y = 1.0;
    for (int i = 0; i < N; i++) y = y * table_or(x, i & 1)[i] + x[i];
    return y;
}
static NOINLINE const double *only_table(const double *x, double *count) {
    *count += x[0];
    return table;
}
static double constant_beside_active(const double *x) {
    double count = 0.0, y = 0.0;
    for (int i = 0; i < N; i++) y += only_table(x, &count)[i] * x[i] * count;
    return y;
}

struct list {
    double value;
    struct list *next;
};
static NOINLINE struct list *push(struct list *head, double value) {
    struct list *new = malloc(sizeof *new);
    new->value = value;
    new->next = head;
    return new;
}
static NOINLINE struct list *last(struct list *head) { return head->next ? last(head->next) : head; }
static double linked(const double *x) {
    struct list *head = 0;
    for (int i = 0; i < N; i++) head = push(head, x[i] * x[i]);
    last(head)->value *= head->value;
    double y = 1.0;
    while (head) {
        struct list *next = head->next;
        y = y * head->value + 0.5;
        free(head);
        head = next;
    }
    return y;
}

AD_FUNCTIONAL(rows)
AD_FUNCTIONAL(chosen)
AD_FUNCTIONAL(fresh)
AD_FUNCTIONAL(constant_or_active)
AD_FUNCTIONAL(constant_beside_active)
AD_FUNCTIONAL(linked)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(rows, N),  CHECK_FUNCTIONAL(chosen, N),
                          CHECK_FUNCTIONAL(fresh, N), CHECK_FUNCTIONAL(constant_or_active, N),
                          CHECK_FUNCTIONAL(constant_beside_active, N), CHECK_FUNCTIONAL(linked, N)};
    for (int i = 0; i < 6; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    return check_done();
}
