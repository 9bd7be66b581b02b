/* Words that a tag says what they are: a real, a number or a pointer. Passes load the word before they look at the tag, and choose it
 * where the tag was looked at already. */
// ad-i386: none, its tags are words of eight bytes
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 3 };

typedef struct {
    int kind;
    union {
        double real;
        long whole;
        struct {
            double *at;
            int n;
        };
    };
} item;

typedef struct {
    const double *ref;
    double d;
} entry;

static entry entries[N];

APART void fill(entry *e, const double *x, int i) { e->ref = x + (i + 1) % N, e->d = x[i]; }
APART double items_sum(const entry *e, long whole) {
    item all[3];
    double v[2] = {e[0].d, e[1].d};
    all[0].kind = 0, all[0].real = 0.5 * e[0].d * e[2].d;
    all[1].kind = 1, all[1].whole = whole;
    all[2].kind = 2, all[2].at = v, all[2].n = 2;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        item t = all[2 - i];
        if (t.kind == 0) sum += t.real;
        else if (t.kind == 1) sum += (double)t.whole * 1.5 * e[1].d;
        else
            for (int k = 0; k < t.n; k++) sum += t.at[k] * t.at[k];
    }
    return sum;
}
/* The pointers in variables are of an earlier call, as far as is known where numbers lie beside them. */
static double items(const double *x) {
    for (int i = 0; i < N; i++) fill(&entries[i], x, i);
    double sum = items_sum(entries, 7) + items_sum(entries, -3) + items_sum(entries, 1L << 40);
    for (int i = 0; i < N; i++) sum += *entries[i].ref * entries[i].d;
    return sum * 1e-3;
}

/* The same in a variable that lives on. */
static item kept[2];
APART void keep(double *x) {
    kept[0].kind = 1, kept[0].whole = 5;
    kept[1].kind = 2, kept[1].at = x, kept[1].n = 2;
}
APART double kept_sum(void) {
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        item t = kept[i];
        if (t.kind == 0) sum += t.real;
        else if (t.kind == 1) sum += (double)t.whole;
        else
            for (int k = 0; k < t.n; k++) sum += t.at[k] * t.at[k] * t.at[k];
    }
    return sum;
}
static double keeps(const double *x) {
    double v[2] = {x[0] * x[1], x[2]};
    keep(v);
    double sum = kept_sum();
    kept[0].kind = 0, kept[0].real = v[0];
    sum *= kept_sum();
    kept[1].at = 0, kept[1].n = 0;
    return sum;
}

typedef struct {
    double x;
    unsigned char m;
    int k;
    short l;
    unsigned tag;
    union {
        double d;
        int i;
        struct {
            double a;
            int n;
        } s;
    } u;
    struct {
        size_t k;
        double a, b;
    } in;
} record;

static void fill_record(record *r, const double *x, int i) {
    memset(r, 0, sizeof *r);
    r->x = x[i] * 1.1218;
    r->tag = (i + 2) % 3;
    if (r->tag == 0) r->u.d = x[i] * x[0];
    else if (r->tag == 1) r->u.i = 4;
    else r->u.s.a = x[i], r->u.s.n = 2;
}
static double record_value(const record *r) {
    double u = r->tag == 0 ? r->u.d : r->tag == 1 ? 0.5 * r->u.i : r->u.s.a * r->u.s.n;
    return r->x * (u + 0.25 * r->k) + 0.25 * r->m + 0.99 * r->in.a + 0.97 * r->in.b + 0.25 * r->in.k + 0.25 * r->l;
}
static void insert(record *a, int n) {
    record *b = malloc((n + 2) * sizeof *b);
    memcpy(b, a, n * sizeof *a);
    memmove(b + 1, b, n * sizeof *b);
    for (int i = 0; i < n; i++) a[i] = b[i];
    free(b);
}
static double records(const double *x) {
    record a[N];
    for (int i = 0; i < N; i++) fill_record(&a[i], x, i);
    if (x[0] > 0.6) insert(a, N);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += record_value(&a[i]) * (i + 1);
    return sum;
}

AD_FUNCTIONAL(items)
AD_FUNCTIONAL(keeps)
AD_FUNCTIONAL(records)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(items, N), CHECK_FUNCTIONAL(keeps, N), CHECK_FUNCTIONAL(records, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 6, 0.3, 1.1);
    return check_done();
}
