/* Reals that move as words or parts of words: in loops over arrays of integers, in structs beside integers, through functions that call themselves. */
#include "requests.h"

#include <stdint.h>
#include <string.h>

/* Copies of all of an array, one word after the other. */
#define COPY(word)                                                                    \
    static double copied_##word(const double *x) {                                    \
        word from[24 / sizeof(word)], to[24 / sizeof(word)];                          \
        double y[3];                                                                  \
        memcpy(from, x, sizeof from);                                                 \
        for (unsigned i = 0; i < sizeof to / sizeof *to; i++) to[i] = from[i];        \
        memcpy(y, to, sizeof y);                                                      \
        return y[0] * y[1] + y[2];                                                    \
    }
COPY(uint64_t)
COPY(uint32_t)
COPY(uint16_t)

static double reversed(const double *x) {
    unsigned long long all[3];
    double y[3];
    memcpy(all, x, sizeof all);
    for (int i = 0; i < 3; i++) {
        unsigned long long bits = all[2 - i];
        memcpy(&y[i], &bits, sizeof y[i]);
    }
    return y[0] * y[1] + sin(y[2]);
}

/* A struct of reals and integers, word by word; an integer is read behind it. */
typedef struct {
    double reals[2];
    int n, m;
} record;

static void copy_words(long long *to, const long long *from, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof *to; i++) memcpy(to + i, from + i, sizeof *to);
}

static double record_of(const double *x) {
    record a = {{x[0], x[1] * x[2]}, 3, 4}, b;
    copy_words((long long *)&b, (const long long *)&a, sizeof a);
    return b.reals[1] * b.n + b.reals[0] * b.m;
}

/* Bits that functions only pass on, to themselves and to each other. */
static uint64_t bits_of(double x) {
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}
static double real_of(uint64_t u) {
    double x;
    memcpy(&x, &u, 8);
    return x;
}
static __attribute__((noinline)) uint64_t again(uint64_t u, int n) { return n ? again(u, n - 1) : u; }
static __attribute__((noinline)) uint64_t odd(uint64_t u, int n);
static __attribute__((noinline)) uint64_t even(uint64_t u, int n) { return n ? odd(u, n - 1) : u; }
static __attribute__((noinline)) uint64_t odd(uint64_t u, int n) { return n ? even(u, n - 1) : u; }

static double handed_on(const double *x) { return real_of(again(bits_of(x[0] * x[1]), 3)) * real_of(even(bits_of(x[2]), 2)); }

AD_FUNCTIONAL(reversed)
AD_FUNCTIONAL(record_of)
AD_FUNCTIONAL(handed_on)

/* The adjoint of such loops is refused where they are not seen to be copies. */
#define TANGENT(f)                                                                                                        \
    do {                                                                                                                  \
        double x[3] = {2, 3, 5}, xd[3] = {1, 0.5, -2};                                                                    \
        check_close("tangent of " #f, __ad_tangent_double((void *)f, x, xd), x[1] * xd[0] + x[0] * xd[1] + xd[2], 1e-14); \
    } while (0)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(reversed, 3), CHECK_FUNCTIONAL(record_of, 3), CHECK_FUNCTIONAL(handed_on, 3)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_random_points(&cases[i], 2, 0.5, 1.5);
    TANGENT(copied_uint64_t);
    TANGENT(copied_uint32_t);
    TANGENT(copied_uint16_t);
    return check_done();
}
