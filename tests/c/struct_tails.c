/* Structs that go through a function which changes one member: passes copy the rest as bytes that begin within a word, at -O0 through
 * variables that hold nothing else. Unions of reals and integers lie among them; floats keep reals of one kind from being assumed. */
// ad-i386: none, refused for now, a word of four bytes may be a pointer or a float (AD034)
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 4 };

typedef struct {
    unsigned char k;
    float f;
    double d, x;
} narrow;

typedef struct {
    int tag, unread, count;
    const double *at;
    double x;
} pointing;

typedef struct {
    const double *at;
    struct {
        double a;
        short k;
        double b;
    } in;
    int k;
    float f;
    double x;
} nested;

typedef struct {
    double x;
    unsigned tag;
    union {
        double d;
        short i;
        struct {
            double a;
            short n;
        } s;
    } u;
    unsigned char n;
    float f;
    int k;
} tagged;

static narrow next_narrow(narrow r) {
    r.k = 2;
    return r;
}
APART void turn_narrow(narrow *a) {
    for (int i = 0; i < N; i++) a[i] = next_narrow(a[N - 1 - i]);
}
APART double narrow_value(const narrow *r) { return r->k * r->d + r->f * r->x; }
static double narrows(const double *x) {
    static narrow a[N];
    for (int i = 0; i < N; i++) a[i] = (narrow){1, 0.5f * i, x[(i + 1) % N] * x[i], x[i]};
    turn_narrow(a);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * narrow_value(&a[i]);
    return sum;
}

static pointing next_pointing(pointing r) {
    r.tag = 1;
    return r;
}
APART void turn_pointing(pointing *a) {
    for (int i = 0; i < N; i++) a[i] = next_pointing(a[N - 1 - i]);
}
static double pointings(const double *x) {
    pointing *a = calloc(N, sizeof *a);
    for (int i = 0; i < N; i++) a[i].at = x + (i + 1) % N, a[i].x = x[i] * x[i];
    turn_pointing(a);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i].x * *a[i].at * (a[i].tag + i);
    free(a);
    return sum;
}

static nested next_nested(nested r) {
    r.in.a = sin(r.x);
    r.in.k = 0;
    return r;
}
APART void change_nested(nested *a) {
    for (int i = 0; i < N; i++) a[i] = next_nested(a[i]);
}
static double nesteds(const double *x) {
    nested a[N];
    for (int i = 0; i < N; i++) {
        a[i] = (nested){0};
        a[i].in.b = x[i] * x[(i + 2) % N];
        a[i].at = x + (i + 1) % N;
        a[i].x = x[i];
        a[i].f = 0.25f * i;
    }
    change_nested(a);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i].in.a * a[i].in.b + *a[i].at * a[i].f + 0.25 * a[i].in.k + 0.5 * a[i].k;
    return sum;
}

static tagged next_tagged(tagged r) {
    r.n = 2;
    return r;
}
APART void turn_tagged(tagged *a) {
    for (int i = 0; i < N; i++) a[i] = next_tagged(a[N - 1 - i]);
}
APART double tagged_value(const tagged *r) {
    double in = r->tag == 0 ? r->u.d : r->tag == 1 ? 0.5 * r->u.i : r->u.s.a * r->u.s.n;
    return r->x * in * r->f + 0.25 * r->n + r->k;
}
static void fill_tagged(tagged *r, const double *x, int i) {
    memset(r, 0, sizeof *r);
    r->x = x[i], r->f = 0.5f, r->tag = i % 3;
    if (r->tag == 0) r->u.d = x[(i + 1) % N] * x[i];
    else if (r->tag == 1) r->u.i = 3;
    else r->u.s.a = x[(i + 2) % N], r->u.s.n = 2;
}
static double taggeds(const double *x) {
    tagged a[N];
    for (int i = 0; i < N; i++) fill_tagged(&a[i], x, i);
    turn_tagged(a);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * tagged_value(&a[i]);
    return sum;
}

/* A block gets all of them, one real is changed, and all go back. */
APART void change_one(tagged *a, int n) {
    tagged *b = malloc((n + 1) * sizeof *b);
    memcpy(b, a, n * sizeof *a);
    b[1].f = 0.75f;
    for (int i = 0; i < n; i++) a[i] = b[i];
    free(b);
}
static double one_changed(const double *x) {
    tagged a[N] = {{0}};
    for (int i = 0; i < N; i++) fill_tagged(&a[i], x, i);
    change_one(a, N);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * tagged_value(&a[i]);
    return sum;
}

AD_FUNCTIONAL(narrows)
AD_FUNCTIONAL(pointings)
AD_FUNCTIONAL(nesteds)
AD_FUNCTIONAL(taggeds)
AD_FUNCTIONAL(one_changed)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(narrows, N), CHECK_FUNCTIONAL(pointings, N), CHECK_FUNCTIONAL(nesteds, N), CHECK_FUNCTIONAL(taggeds, N), CHECK_FUNCTIONAL(one_changed, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
