/* Free lists and nodes that are used again: a node's first word is the next node's address while it is free, and a real or a number while
 * it is in use. Passes load that word as a pointer, and hand it on without following it. */
// ad-i386: none, a word of four bytes may be a pointer or a float (AD034)
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 3, ROOM = 6 };

typedef struct block {
    union {
        struct block *next;
        double v;
    } u;
    int live;
} block;

typedef struct {
    block all[ROOM];
    block *free;
} heap;

static inline block *take(heap *h) {
    block *b = h->free;
    h->free = b->u.next;
    b->live = 1;
    return b;
}
APART void give(heap *h, block *b) { b->live = 0, b->u.next = h->free, h->free = b; }
static double lists(const double *x) {
    heap h;
    h.free = 0;
    for (int i = 0; i < ROOM; i++) give(&h, &h.all[i]);
    block *p = take(&h), *q = take(&h);
    p->u.v = x[0] * 1.5741;
    q->u.v = tanh(p->u.v) + 0.3 * x[N - 1];
    give(&h, p);
    p = take(&h);
    p->u.v = 0.9 * q->u.v * x[1];
    double s = 0;
    for (int i = 0; i < ROOM; i++)
        if (h.all[i].live) s += h.all[i].u.v * h.all[i].u.v;
    return s;
}

/* The same in line, in a loop, and with a word that is a real when it is copied. */
static inline void give_back(heap *h, block *b) { b->u.next = h->free, h->free = b; }
static double inlined(const double *x) {
    heap h;
    h.free = 0;
    for (int i = 0; i < ROOM; i++) give_back(&h, &h.all[i]);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        block *p = take(&h), *q = take(&h);
        p->u.v = x[i % N] * x[0], q->u.v = sin(p->u.v);
        block copy = *p;
        if (i % 2) *q = copy;
        sum += q->u.v * copy.u.v;
        give_back(&h, i % 2 ? p : q);
        if (i == 2) give_back(&h, i % 2 ? q : p);
    }
    return sum;
}

/* A choice between what is loaded and what is computed, in records that are copied to nodes with pointers behind an index. */
typedef struct {
    double v[2], a, b, x;
} record;
typedef struct node {
    record item;
    struct node *kid[2];
} node;
static inline void insert(node **at, const record *item) {
    while (*at) at = &(*at)->kid[item->x > (*at)->item.x];
    *at = calloc(1, sizeof **at);
    (*at)->item = *item;
}
static int walk(node *t, record *a, int k) {
    if (!t) return k;
    k = walk(t->kid[0], a, k);
    a[k] = t->item;
    k = walk(t->kid[1], a, k + 1);
    free(t);
    return k;
}
static double trees(const double *x) {
    record a[4];
    for (int i = 0; i < 4; i++) {
        a[i] = (record){{0}};
        a[i].x = x[i % N] * 0.4726 + 2 * ((i * 3 + 1) % 4);
        a[i].v[0] = x[(i + 1) % N], a[i].v[1] = x[i % N] * 0.5;
    }
    a[0].b = a[0].v[1] < 5 ? a[0].v[1] * a[0].v[1] : a[1].v[0];
    a[1].b = a[0].v[1] > 5 ? a[0].v[1] * a[0].v[1] : a[2].v[0];
    node *t = 0;
    for (int i = 0; i < 4; i++) insert(&t, &a[i]);
    walk(t, a, 0);
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += (a[i].x + a[i].b) * a[i].v[1] * (i + 1);
    return sum;
}

/* A struct by value, of which a member is never written: it goes in a register of its own. */
typedef struct {
    double x;
    int k;
} pair;
typedef struct {
    pair *at;
    int head, count, room;
} deque;
APART void front(deque *d, pair v) { d->head = (d->head + d->room - 1) % d->room, d->at[d->head] = v, d->count++; }
APART void back(deque *d, const pair *v) { d->at[(d->head + d->count++) % d->room] = *v; }
APART void set(pair *p, const double *x, int i) { p->x = x[i % N] * 0.8328; }
static double deques(const double *x) {
    pair *a = malloc(5 * sizeof *a);
    for (int i = 0; i < 5; i++) set(&a[i], x, i);
    deque d = {malloc(6 * sizeof(pair)), 0, 0, 6};
    for (int i = 0; i < 5; i++)
        if (i % 2) front(&d, a[i]);
        else back(&d, &a[i]);
    double sum = 0;
    for (int i = 0; i < d.count; i++) sum += d.at[(d.head + i) % d.room].x * a[i].x;
    free(d.at), free(a);
    return sum;
}

/* A word that holds an address or a real, moved through a variable of pointers. */
typedef struct {
    union {
        const double *at;
        double v;
    } u;
    int is_real;
} word;
APART void turn(word *a, int n) {
    for (int i = 0; i < n / 2; i++) {
        const double *first = a[i].u.at;
        a[i].u.at = a[n - 1 - i].u.at;
        a[n - 1 - i].u.at = first;
        int is_real = a[i].is_real;
        a[i].is_real = a[n - 1 - i].is_real, a[n - 1 - i].is_real = is_real;
    }
}
static double words(const double *x) {
    double v[2] = {x[0] * x[1], x[2] * x[2]};
    word a[4];
    for (int i = 0; i < 4; i++) a[i].is_real = i % 2;
    a[0].u.at = &v[0], a[2].u.at = &v[1], a[1].u.v = x[1] * x[2], a[3].u.v = x[0];
    turn(a, 4);
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += (i + 1) * (a[i].is_real ? a[i].u.v * a[i].u.v : *a[i].u.at);
    return sum;
}

AD_FUNCTIONAL(words)
AD_FUNCTIONAL(lists)
AD_FUNCTIONAL(inlined)
AD_FUNCTIONAL(trees)
AD_FUNCTIONAL(deques)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(lists, N), CHECK_FUNCTIONAL(inlined, N),
                          CHECK_FUNCTIONAL(trees, N), CHECK_FUNCTIONAL(deques, N), CHECK_FUNCTIONAL(words, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 6, 0.3, 1.1);
    return check_done();
}
