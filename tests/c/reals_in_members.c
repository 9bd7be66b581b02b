/* Reals that lie in integer members of structs with characters, pointers or other reals beside, moved there and out again by called functions. */
#include "requests.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

#define RECORD(name, beside, fill)                                                                                            \
    struct name {                                                                                                             \
        int64_t bits;                                                                                                         \
        beside;                                                                                                               \
    };                                                                                                                        \
    APART static void name##_pack(struct name *to, const double *from, int n) {                                               \
        for (int i = 0; i < n; i++) {                                                                                         \
            memcpy(&to[i].bits, &from[i], sizeof *from);                                                                      \
            to[i].fill = (char)i;                                                                                             \
        }                                                                                                                     \
    }                                                                                                                         \
    APART static void name##_reverse(struct name *to, const struct name *from, int n) {                                       \
        for (int i = 0; i < n; i++) to[i].bits = from[n - 1 - i].bits;                                                        \
    }                                                                                                                         \
    APART static void name##_unpack(double *to, const struct name *from, int n) {                                             \
        for (int i = 0; i < n; i++) {                                                                                         \
            int64_t moved = from[i].bits;                                                                                     \
            memcpy(&to[i], &moved, sizeof *to);                                                                               \
        }                                                                                                                     \
    }                                                                                                                         \
    static void name##_all(const double *x, double *y) {                                                                      \
        double a[4];                                                                                                          \
        for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];                                                                       \
        struct name packed[4], *heap = malloc(sizeof packed);                                                                 \
        name##_pack(packed, a, 4);                                                                                            \
        name##_reverse(heap, packed, 4);                                                                                      \
        name##_unpack(y, heap, 4);                                                                                            \
        free(heap);                                                                                                           \
    }                                                                                                                         \
    AD_MAP(name##_all)

RECORD(text, char label[8], label[0])
RECORD(real, double weight, weight)
RECORD(array, double weights[3], weights[1])
/* On i386 the optimiser copies such members as bytes, and nothing says which of them are reals: refused (AD034). */
#if __SIZEOF_POINTER__ == 8
RECORD(counted, struct { int64_t count; double *none; } head, head.count)
#define COUNTED CHECK_MAP(counted_all, 4, 4),
#else
#define COUNTED
#endif

/* The integer beside is one: it chooses where the real goes. */
struct keyed {
    int key;
    int64_t bits;
    double weight;
};
APART static void keyed_pack(struct keyed *to, const double *from, int n) {
    for (int i = 0; i < n; i++) {
        int64_t moved;
        memcpy(&moved, &from[i], sizeof moved);
        to[i].bits = moved;
        to[i].key = (i + 1) % n;
        to[i].weight = 1 + i;
    }
}
APART static void keyed_unpack(double *to, const struct keyed *from, int n) {
    for (int i = 0; i < n; i++) {
        double bits;
        memcpy(&bits, &from[i].bits, sizeof bits);
        to[from[i].key] = bits * from[i].weight;
    }
}
static void keyed_all(const double *x, double *y) {
    struct keyed packed[4];
    keyed_pack(packed, x, 4);
    keyed_unpack(y, packed, 4);
}
AD_MAP(keyed_all)

/* Members that are integers are no reals, though the structs are copied as a whole and lie beside reals. */
struct column {
    long count, room;
    double *at;
    double sum;
};
APART static void append(struct column *c, double v) {
    c->at[c->count++] = v;
    c->sum += v;
}
APART static void exchange(struct column *a, struct column *b) {
    struct column moved = *a;
    long room = b->room;
    *a = *b;
    *b = moved;
    b->room = a->room;
    a->room = room;
}
static void columns(const double *x, double *y) {
    double p[4], q[4];
    struct column a = {0, 4, p, 0.0}, b = {0, 3, q, 0.0};
    for (int i = 0; i < 4; i++) append(&a, x[i] * x[i]);
    for (int i = 0; i < 3; i++) append(&b, x[i]);
    exchange(&a, &b);
    for (long i = 0; i < 4; i++) y[i] = b.at[b.count - 1 - i] * a.at[i % a.count] * a.sum * (double)a.room;
}
AD_MAP(columns)

int main(void) {
    check_case cases[] = {
        COUNTED CHECK_MAP(text_all, 4, 4), CHECK_MAP(real_all, 4, 4), CHECK_MAP(array_all, 4, 4), CHECK_MAP(keyed_all, 4, 4), CHECK_MAP(columns, 4, 4),
    };
    const double x[4] = {0.9, 0.7, 1.3, 0.4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_at(&cases[i], x);
    return check_done();
}
