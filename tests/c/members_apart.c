/* Members that copies leave alone: what is copied to other members of an element, or of other elements, says nothing of them. Texts,
 * small integers and words of bit fields are moved by passes as integers; where a real lies in such bytes, it keeps its derivative. */
// ad-sanitizers: address
// ad-i386: none, refused for now, a word of four bytes may be a pointer or a float (AD034)
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 5 };

/* The first member is moved as an integer, the second as a double, the rest by memcpy. */
typedef struct {
    char name[8];
    double x;
    struct {
        char k;
        double a, b;
    } in;
    unsigned long b : 5, c : 3;
    unsigned short n;
    const double *ref;
} named;
typedef struct {
    unsigned phase : 2, step : 6;
    named now;
    double best;
    unsigned done : 1;
} state;

APART void name_one(named *r, const double *x, int k) {
    strcpy(r->name, "item");
    r->x = x[k], r->ref = x + (k + 1) % N, r->in.a = x[k] * x[k], r->n = k;
}
APART double named_value(const named *r) { return r->x * r->in.a + r->n * r->x + r->b + 0.01 * r->name[0] + 0.5 * *r->ref; }
static void step_on(named *a, int n) {
    state s = {.phase = 1, .now = a[0], .best = a[0].x};
    while (!s.done) switch (s.phase) {
        case 0: s.now = a[s.step % n]; // fallthrough
        case 1:
            s.best = exp(-s.best * s.best) + 0.5 * s.now.x;
            s.now.in.b = s.best;
            a[s.step % n] = s.now, s.step++, s.phase = 0, s.done = (int)s.step >= n;
        }
}
static double names(const double *x) {
    named *a = calloc(N, sizeof *a);
    for (int i = 0; i < N; i++) name_one(&a[i], x, i);
    step_on(a, N);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * (named_value(&a[i]) + a[i].in.b * a[i].in.b);
    free(a);
    return sum;
}

/* The same, but the bytes of the name are those of a real, in every second element. */
APART double stowed_value(const named *r, int is_text) {
    double y = 0.01 * r->name[0];
    if (!is_text) memcpy(&y, r->name, sizeof y);
    return y * r->x;
}
static double stowed(const double *x) {
    named *a = calloc(N, sizeof *a);
    for (int i = 0; i < N; i++) {
        name_one(&a[i], x, i);
        if (i % 2) memcpy(a[i].name, &x[(i + 1) % N], sizeof *x);
    }
    step_on(a, N);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * stowed_value(&a[i], i % 2 == 0);
    free(a);
    return sum;
}

/* A byte beside a double, in a ring that a function which is not inlined fills, too. */
typedef struct {
    unsigned char k;
    double x;
} marked;
typedef struct {
    marked *at;
    int head, count, room;
} ring;
static void to_front(ring *d, marked v) { d->head = (d->head + d->room - 1) % d->room, d->at[d->head] = v, d->count++; }
APART void to_back(ring *d, const marked *v) { d->at[(d->head + d->count++) % d->room] = *v; }
static marked pop(ring *d) {
    marked v = d->at[d->head];
    d->head = (d->head + 1) % d->room, d->count--;
    return v;
}
static double rings(const double *x) {
    marked a[N];
    for (int i = 0; i < N; i++) a[i].x = x[i], a[i].k = (i + 1) % 4;
    ring d = {malloc((N + 1) * sizeof(marked)), 0, 0, N + 1};
    for (int i = 0; i < N; i++)
        if (i % 2) to_front(&d, a[i]);
        else to_back(&d, &a[i]);
    for (int i = 0; i < N; i++) a[i] = pop(&d), a[i].x = sin(a[i].x);
    free(d.at);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * (a[i].x * a[i].x + a[i].k * a[i].x);
    return sum;
}

/* A word of bit fields and a byte, which is passed by value as an integer, from one element of a variable. */
typedef struct {
    unsigned b : 5, c : 3;
    unsigned char k;
    double x;
} packed;
typedef struct {
    packed *items;
    size_t count, room;
} list;
APART packed *add(list *l, packed item) {
    if (l->count >= l->room) {
        l->room = l->room * 2 + 1;
        packed *more = malloc(l->room * sizeof *more);
        if (l->count) memcpy(more, l->items, l->count * sizeof *more);
        free(l->items);
        l->items = more;
    }
    l->items[l->count] = item;
    return &l->items[l->count++];
}
APART void pack(packed *r, const double *x, int k) {
    memset(r, 0, sizeof *r);
    r->x = x[k], r->k = (k + 1) % 4, r->b = (k + 2) % 4, r->c = (k + 1) % 4;
}
APART double packed_value(const packed *r) { return r->x * r->x + r->k * r->x + 0.25 * r->b + 0.25 * r->c; }
APART void collect(packed *a, int n) {
    list l = {0};
    for (int i = 0; i < n; i++) {
        packed *p = add(&l, a[i]);
        p->x = 0.5 * p->x + 0.25 * a[0].x;
        if (a[i].b > 1) add(&l, *&a[n - 1]);
    }
    for (int i = 0; i < n; i++) a[i] = l.items[l.count - 1 - i];
    free(l.items);
}
static packed store[N];
static double lists(const double *x) {
    for (int i = 0; i < N; i++) pack(&store[i], x, i);
    collect(store, N);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * packed_value(&store[i]);
    return sum;
}

AD_FUNCTIONAL(names)
AD_FUNCTIONAL(stowed)
AD_FUNCTIONAL(rings)
AD_FUNCTIONAL(lists)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(names, N), CHECK_FUNCTIONAL(stowed, N), CHECK_FUNCTIONAL(rings, N), CHECK_FUNCTIONAL(lists, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
