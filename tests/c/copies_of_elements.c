/* Elements of arrays of structs are copied one by one: into nodes that are linked through a member in front, to a place that a search
 * finds, out of an array in a struct with members behind it. What lies beside the copied bytes is not copied. */
// ad-i386: none, addresses of four bytes look like floats
#include "requests.h"

#include <stddef.h>
#include <stdlib.h>

#define APART __attribute__((noinline)) static

/* Nodes whose links lie in front of what they hold. Only the last one is copied back. */
struct link {
    struct link *next;
};
#define NODES(record)                                                                   \
    struct record##_node {                                                              \
        struct link link;                                                               \
        struct record item;                                                             \
    };                                                                                  \
    static void record##_nodes(struct record *a, int n) {                               \
        struct record##_node *all = calloc(n, sizeof *all);                             \
        struct link *first = 0;                                                         \
        for (int k = 0; k < n; k++) {                                                   \
            all[k].item = a[k];                                                         \
            first = &all[k].link;                                                       \
        }                                                                               \
        for (struct link *l = first; l; l = l->next)                                    \
            a[0] = ((struct record##_node *)((char *)l - offsetof(struct record##_node, link)))->item; \
        free(all);                                                                      \
    }

struct mixed {
    int k;
    float narrow;
    double wide[3];
    int last;
};
NODES(mixed)
APART void fill_mixed(struct mixed *a, const double *x, int k) {
    a->k = k, a->last = 2 * k;
    a->narrow = 0.5f * k;
    for (int i = 0; i < 3; i++) a->wide[i] = x[(k + i) % 3] * x[0];
}
APART double measure_mixed(const struct mixed *a) {
    return a->narrow * a->k + a->wide[0] * a->wide[1] + a->last * a->wide[2];
}
APART double node_stage(struct mixed *a, int n) {
    mixed_nodes(a, n);
    return 0;
}
static double linked(const double *x) {
    struct mixed a[4] = {{0}};
    for (int k = 0; k < 4; k++) fill_mixed(&a[k], x, k);
    double sum = node_stage(a, 4);
    for (int k = 0; k < 4; k++) sum += measure_mixed(&a[k]) * (k + 1);
    return sum;
}
AD_FUNCTIONAL(linked)

/* The same with a pointer in what is copied. */
struct referring {
    double wide[2];
    const double *of;
    float narrow;
    short k;
};
NODES(referring)
APART void fill_referring(struct referring *a, const double *x, int k) {
    memset(a, 0, sizeof *a);
    a->of = x + (k + 1) % 3;
    a->wide[0] = x[k % 3] * x[1], a->wide[1] = x[2];
    a->narrow = 0.25f * k, a->k = (short)k;
}
APART double measure_referring(const struct referring *a) {
    return a->wide[0] * *a->of + a->wide[1] * a->narrow * a->k;
}
static double linked_references(const double *x) {
    struct referring *a = malloc(4 * sizeof *a);
    for (int k = 0; k < 4; k++) fill_referring(&a[k], x, k);
    referring_nodes(a, 4);
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += measure_referring(&a[k]) * (k + 1);
    free(a);
    return sum;
}
AD_FUNCTIONAL(linked_references)

/* The index of an element of 16 bytes is widened and scaled in one. */
struct pair {
    long k;
    double value;
};
APART void sort(struct pair *a, int n) {
    for (int i = 1; i < n; i++) {
        struct pair t = a[i];
        int k = i;
        for (; k > 0 && a[k - 1].value > t.value; k--) a[k] = a[k - 1];
        a[k] = t;
    }
}
static double sorted(const double *x) {
    struct pair a[5];
    for (int k = 0; k < 5; k++) a[k] = (struct pair){k, x[k % 3] * (k % 2 ? 0.5 : 2 + k)};
    sort(a, 5);
    double sum = 0;
    for (int k = 0; k < 5; k++) sum += a[k].value * a[k].value * (k + a[k].k);
    return sum;
}
AD_FUNCTIONAL(sorted)

/* What lies behind an array in a struct is none of its elements, though it lies where one would. */
struct packed {
    int n;
    struct mixed items[4];
    double total;
};
static struct packed pack(const struct mixed *a, int n) {
    struct packed o = {0};
    for (int k = 0; k < n && k < 4; k++) {
        o.items[o.n++] = a[k];
        o.total += a[k].wide[1];
    }
    return o;
}
static void scale(struct packed *o) {
    for (int k = 0; k < o->n; k++) o->items[k].wide[2] = o->items[k].wide[1] / (1.5 + o->total);
}
static void unpack(struct mixed *a, int n) {
    struct packed o = pack(a, n), p;
    scale(&o);
    memcpy(&p, &o, sizeof p);
    for (int k = 0; k < p.n; k++) a[k] = p.items[k];
}
static double unpacked(const double *x) {
    struct mixed a[5];
    for (int k = 0; k < 5; k++) fill_mixed(&a[k], x, k);
    unpack(a, 5);
    double sum = 0;
    for (int k = 0; k < 5; k++) sum += measure_mixed(&a[k]) * (k + 1);
    return sum;
}
AD_FUNCTIONAL(unpacked)

/* Words of a struct are moved one by one, whatever they are: the last one is no element of the array before it. */
struct words {
    double value[3];
    long k;
    double last;
};
APART void move_words(long *to, const long *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}
static double moved_words(const double *x) {
    struct words a = {{x[0], x[1], x[2]}, 3, x[0] * x[1]}, b;
    move_words((long *)&b, (const long *)&a, sizeof a / sizeof(long));
    double sum = 0;
    for (int k = 0; k < b.k; k++) sum += b.value[k] * b.last * (k + 1);
    return sum;
}
AD_FUNCTIONAL(moved_words)

int main(void) {
    const check_case cases[] = {CHECK_FUNCTIONAL(linked, 3), CHECK_FUNCTIONAL(linked_references, 3), CHECK_FUNCTIONAL(sorted, 3),
                                CHECK_FUNCTIONAL(unpacked, 3), CHECK_FUNCTIONAL(moved_words, 3)};
    const double x[3] = {1.5, 0.625, 2.25};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) check_at(&cases[k], x);
    return check_done();
}
