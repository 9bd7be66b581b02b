/* Atomic loads, stores, additions and subtractions of reals, counters beside them, and memory that differentiated
 * code shares with nobody. */
#include "requests.h"

enum { N = 4 };

static _Atomic double total;
static _Atomic int count;

#define ADD(p, x) __c11_atomic_fetch_add(p, x, __ATOMIC_RELAXED)
#define SUB(p, x) __c11_atomic_fetch_sub(p, x, __ATOMIC_SEQ_CST)
#define LOAD(p) __c11_atomic_load(p, __ATOMIC_ACQUIRE)
#define STORE(p, x) __c11_atomic_store(p, x, __ATOMIC_RELEASE)

static double added(const double *x) {
    STORE(&total, x[0]);
    double before = 0.0;
    for (int i = 0; i < N; i++) {
        before += ADD(&total, x[i] * x[i]) * x[(i + 1) % N];
        if (i % 2) SUB(&total, sin(x[i]));
        __c11_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    }
    return LOAD(&total) * before;
}

static void add_to(const double *x, double *y) {
    for (int i = 0; i < N; i++) ADD((_Atomic double *)&y[i % 2], x[i] * x[0]);
}
static void sums(const double *x, double *y) {
    STORE((_Atomic double *)&y[0], 0.0);
    y[1] = x[1];
    add_to(x, y);
    SUB((_Atomic double *)&y[1], y[0] * y[0]);
}

AD_FUNCTIONAL(added)
AD_MAP(sums)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(added, N), CHECK_MAP(sums, N, 2)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 4, 0.4, 1.1);
    check_true("counted", LOAD(&count) > 0);
    return check_done();
}
