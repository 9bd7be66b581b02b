/* qsort and bsearch on active data: numbers, structs by key, pointers to structs, an order that the data decide anew, a
 * callback that is itself a parameter, lengths 0 and 1, equal keys. */
#include "requests.h"

enum { N = 7 };
#define NOINLINE __attribute__((noinline))

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}
static int descending(const void *a, const void *b) { return ascending(b, a); }

/* Far apart, so that differences do not change the order. */
static double apart(const double *x, int i) {
    static const double shift[N] = {3, 1, 4, 0, 5, 2, 6};
    return 0.3 * x[i] + shift[i];
}

static double numbers(const double *x) {
    double v[N], y = 0.0;
    for (int i = 0; i < N; i++) v[i] = apart(x, i) * (1.0 + 0.01 * x[(i + 1) % N]);
    qsort(v, N, sizeof *v, ascending);
    for (int i = 0; i < N; i++) y += v[i] * v[i] * (i + 1);
    qsort(v, N - 2, sizeof *v, descending);
    qsort(v, 1, sizeof *v, ascending);
    qsort(v, 0, sizeof *v, ascending);
    for (int i = 0; i < N; i++) y *= 1.0 + 0.01 * v[i] * (i % 3);
    return y;
}

static double ties(const double *x) {
    double v[N], y = 0.0;
    for (int i = 0; i < N; i++) v[i] = x[i] * x[(i + 1) % N];
    qsort(v, N, sizeof *v, ascending);
    for (int i = 0; i < N; i++) y += v[i] * v[i] * (i + 1);
    return y;
}

static void in_place(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = 0.1 * sin(2.0 * x[(i + 2) % N]) + apart(x, i);
    qsort(y, N, sizeof *y, descending);
}

struct item {
    double key;
    int number;
    double weight;
};
static int by_key(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key ? 1 : 0;
}
static double structs(const double *x) {
    struct item items[N];
    double y = 0.0;
    for (int i = 0; i < N; i++) items[i] = (struct item){apart(x, i), i, 2.0 * x[N - 1 - i]};
    qsort(items, N, sizeof *items, by_key);
    for (int i = 0; i < N; i++) y += items[i].key * items[i].weight * (items[i].number + i);
    return y;
}

static NOINLINE void sort_with(double *v, int n, int (*order)(const void *, const void *)) { qsort(v, n, sizeof *v, order); }
static double chosen(const double *x) {
    double v[N], y = 0.0;
    for (int i = 0; i < N; i++) v[i] = apart(x, i);
    for (int round = 0; round < 4; round++) {
        sort_with(v, N, v[0] < v[1] ? descending : ascending);
        for (int i = 0; i < N; i++) y += v[i] * x[i] * (round + 1);
        for (int i = 0; i < N; i++) v[i] = (i * 3 + round) % N + 0.05 * v[i] * x[(i + round) % N];
    }
    return y;
}

static double searched(const double *x) { /* the pointer that bsearch returns leads to active memory */
    double v[N], y = 1.0;
    for (int i = 0; i < N; i++) v[i] = i + x[i];
    for (int i = 0; i < N; i++) {
        double key = i % 2 ? v[i] : -1.0;
        double *found = bsearch(&key, v, N, sizeof *v, ascending);
        if (found) y = y * *found + x[0];
        if (found) *found *= 1.01;
    }
    return y + v[1] * v[3];
}

AD_FUNCTIONAL(numbers)
AD_MAP(in_place)
AD_FUNCTIONAL(structs)
AD_FUNCTIONAL(chosen)
AD_FUNCTIONAL(searched)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(numbers, N), CHECK_MAP(in_place, N, N), CHECK_FUNCTIONAL(structs, N),
                          CHECK_FUNCTIONAL(chosen, N), CHECK_FUNCTIONAL(searched, N)};
    for (int i = 0; i < 5; i++) check_random_points(&cases[i], 3, 0.3, 0.95);

    /* Equal keys: the derivatives go with the elements, whatever their order. */
    const double x[N] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
    double xb[N] = {0}, sum = 0.0;
    __ad_adjoint_void((void *)ties, x, xb);
    for (int i = 0; i < N; i++) sum += xb[i];
    double xd[N] = {1, 1, 1, 1, 1, 1, 1};
    check_close("equal keys", sum, __ad_tangent_double((void *)ties, x, xd), 1e-12);
    return check_done();
}
