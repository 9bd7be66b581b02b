/* Integers that are only moved, sorted and compared by called functions, beside reals: indices, keys, states of random numbers. They are no
 * reals, and nothing is refused.
 * ad-flags: -fno-strict-aliasing */
#include "requests.h"

#define APART __attribute__((noinline))

APART static void sort_words(uint64_t *p, int n) {
    for (int i = 1; i < n; i++) {
        uint64_t key = p[i];
        int j = i - 1;
        for (; j >= 0 && p[j] > key; j--) p[j + 1] = p[j];
        p[j + 1] = key;
    }
}

APART static void reverse(int64_t *to, const int64_t *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[n - 1 - i];
}
static void index_arrays(const double *x, double *y) {
    int64_t order[4] = {2, 0, 3, 1}, back[4], *sorted = malloc(sizeof order);
    reverse(back, order, 4);
    for (int i = 0; i < 4; i++) sorted[i] = back[i];
    sort_words((uint64_t *)sorted, 4);
    y[0] = x[back[0]] * x[back[1]] + x[sorted[2]];
    free(sorted);
}
AD_MAP(index_arrays)

struct item { long key; double value; };
APART static double *find(struct item *table, long key) {
    long at = (key * 2654435761L) & 7;
    while (table[at].key != -1 && table[at].key != key) at = (at + 1) & 7;
    table[at].key = key;
    return &table[at].value;
}
static void hashed(const double *x, double *y) {
    struct item table[8], other[8];
    for (int i = 0; i < 8; i++) table[i].key = -1, table[i].value = 0.0;
    for (int i = 0; i < 4; i++) *find(table, 10 * i) = x[i] * x[i];
    for (int i = 0; i < 8; i++) other[i].key = table[i].key, other[i].value = table[i].value;
    y[0] = *find(other, 10) * *find(other, 20) + *find(other, 30);
}
AD_MAP(hashed)

struct generator { uint64_t s[2]; double scale; };
APART static double next(struct generator *g) {
    uint64_t a = g->s[0], b = g->s[1];
    g->s[0] = b;
    a ^= a << 23;
    g->s[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
    return (double)((g->s[1] + b) >> 11) * 0x1p-53 * g->scale;
}
static void random_numbers(const double *x, double *y) {
    struct generator g = {{1, 2}, x[0] * x[1]};
    y[0] = x[2] * x[3];
    for (int i = 0; i < 5; i++) y[0] += next(&g);
}
AD_MAP(random_numbers)

static void beside_in_one_block(const double *x, double *y) {
    char *block = malloc(96);
    double *a = (double *)block, b[4];
    size_t *p = (size_t *)(block + 32), *q = (size_t *)(block + 64);
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i], p[i] = 3 - i;
    for (int i = 0; i < 4; i++) q[i] = p[i], b[i] = a[i];
    y[0] = b[q[0]] * b[q[1]] + b[q[2]];
    free(block);
}
AD_MAP(beside_in_one_block)

struct record { long id; double v[3]; int tags[2]; };
APART static void exchange(struct record *list, int i, int j) {
    struct record *a = &list[i], *b = &list[j];
    long id = a->id;
    a->id = b->id;
    b->id = id;
    for (int k = 0; k < 2; k++) {
        int tag = a->tags[k];
        a->tags[k] = b->tags[k];
        b->tags[k] = tag;
    }
    for (int k = 0; k < 3; k++) {
        double v = a->v[k];
        a->v[k] = b->v[k];
        b->v[k] = v;
    }
}
static void reordered_members(const double *x, double *y) {
    struct record list[2] = {{1, {x[0], x[1], 2.0}, {3, 4}}, {5, {x[2], x[3], 6.0}, {7, 8}}};
    exchange(list, 0, 1);
    y[0] = list[0].v[0] * list[0].v[1] + list[1].v[0] * list[1].v[2] * list[1].v[1];
}
AD_MAP(reordered_members)

APART static void copy_words(uint64_t *to, const uint64_t *from, long n) {
    for (long i = 0; i < n; i++) to[i] = from[i];
}
static void passive_words(const double *x, double *y) {
    double a[4] = {1.0, 2.0, 3.0, 4.0}, b[4];
    copy_words((uint64_t *)b, (const uint64_t *)a, 4);
    y[0] = b[0] * x[0] * x[1] + b[3] * x[2] * x[3];
}
AD_MAP(passive_words)

/* Arrays of integers beside reals: members of one struct, in one block, in a buffer from which all memory comes. */
struct mesh { int n, order[4]; double value[4]; int permutation[4]; long from[4], to[4]; };
APART static void renumber(struct mesh *m, const double *x) {
    for (int i = 0; i < m->n; i++) {
        m->permutation[i] = m->order[m->n - 1 - i];
        m->value[i] = x[i] * x[i];
        m->to[i] = m->from[i];
    }
}
static void member_arrays(const double *x, double *y) {
    struct mesh m = {4, {1, 3, 0, 2}, {0.0}, {0}, {0, 1, 2, 3}, {0}};
    renumber(&m, x);
    y[0] = 0.0;
    for (int i = 0; i < m.n; i++) y[0] += m.value[m.permutation[i]] * m.value[m.to[i]];
}
AD_MAP(member_arrays)

struct queue { int buffer[8], head, tail; double sum; };
APART static void put(struct queue *q, int v) {
    q->buffer[q->tail] = v;
    q->tail = (q->tail + 1) & 7;
}
APART static int take(struct queue *q) {
    int v = q->buffer[q->head];
    q->head = (q->head + 1) & 7;
    return v;
}
static void queues(const double *x, double *y) {
    struct queue a = {{0}, 0, 0, 0.0}, b = a;
    for (int i = 0; i < 4; i++) put(&a, 3 - i);
    for (int i = 0; i < 4; i++) put(&b, take(&a));
    for (int i = 0; i < 4; i++) b.sum += x[take(&b)] * x[i];
    y[0] = b.sum;
}
AD_MAP(queues)

static char buffer[512];
static size_t used;
APART static void *get(size_t bytes) {
    void *p = buffer + used;
    used += (bytes + 15) & ~(size_t)15;
    return p;
}
static void one_buffer(const double *x, double *y) {
    used = 0;
    double *d = get(4 * sizeof *d);
    int *i = get(4 * sizeof *i), *j = get(4 * sizeof *j);
    long *l = get(4 * sizeof *l), *m = get(4 * sizeof *m);
    for (int k = 0; k < 4; k++) d[k] = x[k] * x[k], i[k] = 3 - k, l[k] = k;
    for (int k = 0; k < 4; k++) j[k] = i[k], m[k] = l[k];
    y[0] = 0.0;
    for (int k = 0; k < 4; k++) y[0] += (k + 1) * d[j[k]] * d[m[k]];
}
AD_MAP(one_buffer)

int main(void) {
    check_case cases[] = {
        CHECK_MAP(index_arrays, 4, 1), CHECK_MAP(hashed, 4, 1), CHECK_MAP(random_numbers, 4, 1),
        CHECK_MAP(beside_in_one_block, 4, 1), CHECK_MAP(reordered_members, 4, 1), CHECK_MAP(passive_words, 4, 1),
        CHECK_MAP(member_arrays, 4, 1), CHECK_MAP(queues, 4, 1), CHECK_MAP(one_buffer, 4, 1),
    };
    const double x[4] = {0.9, 0.7, 1.3, 0.4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_at(&cases[i], x);
    return check_done();
}
