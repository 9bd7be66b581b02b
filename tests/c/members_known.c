/* Structs of which some bytes are never accessed: what they hold, nobody says. Their doubles and floats have adjoints in both places of a
 * copy, which are added as what they are. A union of both kinds has one in one of the places only. */
// ad-sanitizers: address
// ad-i386: none, refused for now, a word of four bytes may be a pointer or a float (AD034)
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 4 };

typedef struct {
    short n;
    union {
        double d;
        short i;
        struct {
            double a;
            short n;
        } s;
    } u;
    int tag;
    char name[8];
    double x;
    unsigned k;
    float f;
} record;
typedef struct {
    record *items;
    size_t count, room;
} list;

APART void fill(record *r, const double *x, int k) {
    memset(r, 0, sizeof *r);
    r->x = x[k], r->tag = k % 3, r->f = x[k] * x[(k + 1) % N];
    if (r->tag == 0) r->u.d = 2 * x[k];
    else if (r->tag == 1) r->u.i = 3;
    else r->u.s.a = x[k], r->u.s.n = 2;
}
APART double value(const record *r) {
    double in = r->tag == 0 ? r->u.d : r->tag == 1 ? 0.5 * r->u.i : r->u.s.a * r->u.s.n;
    return r->x * in + 0.25 * r->k + 0.01 * r->name[0] + 0.25 * r->n + (double)r->f * r->f;
}
static record *add(list *l, record item) {
    if (l->count == l->room) {
        l->room = l->room * 2 + 1;
        l->items = realloc(l->items, l->room * sizeof *l->items);
    }
    l->items[l->count] = item;
    return &l->items[l->count++];
}
/* What is copied is used afterwards as well: each real has two adjoints. */
static double lists(const double *x) {
    record *a = malloc(N * sizeof *a);
    for (int i = 0; i < N; i++) fill(&a[i], x, i);
    list l = {0};
    double sum = 0;
    for (int i = 0; i < N; i++) {
        record *p = add(&l, a[i]);
        p->f = sqrt(1 + p->x * p->x) - 0.1 * a[0].x;
        sum += value(&a[i]);
    }
    for (int i = 0; i < N; i++) sum += 0.5 * a[i].f * a[i].x, a[i] = l.items[l.count - 1 - i];
    free(l.items);
    for (int i = 0; i < N; i++) sum += (i + 1) * value(&a[i]);
    free(a);
    return sum;
}

/* At one place a double or two floats, beside known members. */
typedef struct {
    int tag;
    char name[12];
    union {
        double d;
        float f[2];
    } u;
    double x;
    float g;
} either;
APART double either_value(const either *r) { return (r->tag ? r->u.d : r->u.f[0] * r->u.f[1]) * r->x + r->g * r->x + 0.01 * r->name[0]; }
static double eithers(const double *x) {
    either *a = calloc(N, sizeof *a), *b = 0;
    for (int i = 0; i < N; i++) {
        a[i].tag = i % 2, a[i].x = x[i], a[i].g = x[(i + 1) % N];
        if (i % 2) a[i].u.d = x[i] * x[0];
        else a[i].u.f[0] = x[i], a[i].u.f[1] = x[1];
    }
    for (int i = 0; i < N; i++) b = realloc(b, (i + 1) * sizeof *b), b[i] = a[N - 1 - i];
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * either_value(&b[i]) + a[i].x * a[i].g;
    free(a);
    free(b);
    return sum;
}

/* The same in double precision, for differences. */
static double in_double(double x, int k) { return k % 3 == 1 ? 1.5 : 2 * x; }
static void lists_smooth(const double *x, double *y) {
    y[0] = 0;
    for (int i = 0; i < N; i++) {
        int j = N - 1 - i;
        double f = x[i] * x[(i + 1) % N], g = sqrt(1 + x[j] * x[j]) - 0.1 * x[0];
        y[0] += x[i] * in_double(x[i], i) + f * f + 0.5 * f * x[i] + (i + 1) * (x[j] * in_double(x[j], j) + g * g);
    }
}
static void eithers_smooth(const double *x, double *y) {
    y[0] = 0;
    for (int i = 0; i < N; i++) {
        int j = N - 1 - i;
        y[0] += (i + 1) * (x[j] * x[j % 2 ? 0 : 1] + x[(j + 1) % N]) * x[j] + x[i] * x[(i + 1) % N];
    }
}

AD_FUNCTIONAL(lists)
AD_FUNCTIONAL(eithers)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(lists, N), CHECK_FUNCTIONAL(eithers, N)};
    cases[0].smooth = lists_smooth, cases[1].smooth = eithers_smooth;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cases[i].tol_diff = 1e-5, cases[i].tol_dot = 1e-6;
        check_random_points(&cases[i], 3, 0.3, 1.1);
    }
    return check_done();
}
