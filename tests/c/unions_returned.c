/* Tagged unions that functions out of line return: in registers, where the ABI spells reals as integers, and in memory. The
 * real of one path is an integer on another.
 * ad-i386: none, what is decided when the program runs needs 64 bits (AD031) */
#include "requests.h"
#include <stdlib.h>

enum { N = 4 };

/* Two registers: the tag, and a word that is a double or an int. */
typedef struct {
    unsigned char tag;
    union {
        double real;
        int whole;
    } as;
} small;
static __attribute__((noinline)) small make_small(double x, int k) {
    small v;
    v.tag = (unsigned char)k;
    if (k == 1)
        v.as.whole = k + 1;
    else
        v.as.real = 3.0 * x;
    return v;
}
static double registers(const double *x) {
    small v[N];
    double sum = 0.0;
    for (int i = 0; i < N; i++) v[i] = make_small(x[i], i);
    for (int i = 0; i < N; i++) sum += v[i].tag == 1 ? x[0] * v[i].as.whole : v[i].as.real * v[i].as.real;
    return sum;
}

/* The same on the heap. */
static double on_heap(const double *x) {
    small *v = malloc(N * sizeof *v);
    double sum = 0.0;
    for (int i = 0; i < N; i++) v[i] = make_small(x[i] * x[0], i);
    for (int i = 0; i < N; i++) sum += v[i].tag == 1 ? x[0] * v[i].as.whole : v[i].as.real;
    free(v);
    return sum;
}

/* In memory, of two kinds: the int lies over a part of a real of an earlier value. */
struct large {
    int kind;
    union {
        int whole;
        struct {
            double re, im;
        } both;
    } as;
};
static __attribute__((noinline)) struct large make_large(double x, int k) {
    struct large v;
    v.kind = k % 3;
    if (v.kind == 0) {
        v.as.whole = k;
    } else {
        v.as.both.re = x;
        v.as.both.im = 2.0 * x * x;
    }
    return v;
}
static double weigh(const struct large *v) { return v->kind == 0 ? v->as.whole * 0.5 : v->as.both.re * v->as.both.im; }
static double memory(const double *x) {
    struct large v[N];
    double sum = 0.0;
    for (int i = 0; i < N; i++) v[i] = make_large(x[i], i + 1);
    for (int i = 0; i < N; i++) sum += weigh(&v[i]) * x[1];
    return sum;
}

/* A structure with pointers beside integers. */
struct view {
    int first, count;
    const double *at;
};
static __attribute__((noinline)) struct view slice(const double *x, int first, int count) {
    struct view v = {first, count, x + first};
    return v;
}
static double through_views(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        struct view v = slice(x, i, N - i);
        for (int k = 0; k < v.count; k++) sum += v.at[k] * v.at[0] * (v.first + 1);
    }
    return sum;
}

/* A real, an integer or a pointer: one word, which passes load once. */
struct item {
    int kind;
    union {
        double real;
        long whole;
        struct {
            const double *at;
            int n;
        };
    };
};
static double words(const double *x) {
    struct item items[3];
    double inside[2] = {x[0], 2.0 * x[1]}, sum = 0.0;
    items[0].kind = 0, items[0].real = 5.0 * x[2];
    items[1].kind = 1, items[1].whole = 4;
    items[2].kind = 2, items[2].at = inside, items[2].n = 2;
    for (int i = 0; i < 3; i++) {
        struct item one = items[i];
        if (one.kind == 0)
            sum += one.real * x[0];
        else if (one.kind == 1)
            sum += (double)one.whole * x[3];
        else
            for (int k = 0; k < one.n; k++) sum += one.at[k] * one.at[k];
    }
    return sum;
}

/* A function that calls itself. */
struct rest {
    const double *from;
    double sum;
};
static struct rest skip(const double *x, int n) {
    if (n == 0) return (struct rest){x, 0.0};
    struct rest r = skip(x + 1, n - 1);
    r.sum += x[0] * x[0];
    return r;
}
static double recursive(const double *x) {
    struct rest r = skip(x, N - 1);
    return r.from[0] * r.sum;
}

AD_FUNCTIONAL(words)
AD_FUNCTIONAL(recursive)
AD_FUNCTIONAL(registers)
AD_FUNCTIONAL(on_heap)
AD_FUNCTIONAL(memory)
AD_FUNCTIONAL(through_views)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(words, N), CHECK_FUNCTIONAL(registers, N), CHECK_FUNCTIONAL(on_heap, N),
                          CHECK_FUNCTIONAL(memory, N), CHECK_FUNCTIONAL(through_views, N),
                          CHECK_FUNCTIONAL(recursive, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    return check_done();
}
