/* Joins of many ways: what branches decided is asked again in the reverse sweep, or recorded in bits. */
#include "requests.h"

enum { N = 12, M = 6 };

/* Nested conditions on what is still there; the inner ones may only be asked on their own side. */
static void nested(const double *x, double *y) {
    static const int limit[N] = {0, 5, 1, 7, 2, 0, 3, 11, 0, 4, 0, 9};
    for (int k = 0; k < M; k++) y[k] = 0.0;
    for (int i = 0; i < N; i++) {
        if (limit[i] == 0) continue;
        y[i % M] += x[i] * x[i];
        if (x[limit[i]] < 0.6) continue;
        y[(i + 1) % M] += sin(x[i]);
        if (1.0 / x[limit[i] - 1] < 1.4) continue;
        y[(i + 2) % M] += x[i] * x[limit[i]];
    }
}
/* A pointer that is null is only looked through where it is not. */
static void guarded(const double *x, double *y) {
    const double *at[4] = {x, 0, x + 5, 0};
    for (int k = 0; k < M; k++) y[k] = x[k];
    for (int i = 0; i < N; i++) {
        const double *p = at[i % 4];
        if (!p || (*p > 0.7 && i % 3 != 0)) continue;
        y[i % M] += *p * x[i];
    }
}
/* Cases that share a target, fall through, or leave the loop's rest out. */
static void cases_of(const double *x, double *y) {
    for (int k = 0; k < M; k++) y[k] = 1.0;
    for (int i = 0; i < 3 * N; i++) {
        double *at = &y[i % M];
        switch (i % 7) {
        case 0:
        case 4: *at *= x[i % N]; break;
        case 1: *at += x[i % N]; /* fall through */
        case 2: *at += 0.5 * *at * x[(i + 1) % N]; break;
        case 5: continue;
        default: *at -= x[i % N] * x[i % N];
        }
        *at *= 0.75;
    }
}
/* Many branches on what is overwritten: bits of two bytes. */
static void overwritten(const double *x, double *y) {
    double a[M] = {0.3, 0.2, 0.6, 0.9, 0.1, 0.5};
    for (int i = 0; i < 2 * N; i++) {
        for (int k = 0; k < M; k++) {
            if (a[k] > 0.5) a[k] = 0.3 * a[k] + 0.2 * x[i % N];
            else a[k] = 0.8 * a[k] + 0.3 * x[(i + k) % N] * a[(k + 1) % M];
        }
        if (a[0] > a[1]) a[2] += 0.1 * a[0];
        else if (a[1] > a[2]) a[3] -= 0.2 * a[1];
        else if (a[2] > a[3]) a[4] += 0.3 * a[2];
        else a[5] *= 0.9;
        if (a[4] > 0.4 && a[5] > 0.2) a[0] -= 0.05 * a[4];
    }
    for (int k = 0; k < M; k++) y[k] = a[k];
}
/* A switch that names all cases: its default is no way out of the loop. Recorded, as the state changes. */
static void automaton(const double *x, double *y) {
    double a = 0.3;
    unsigned state = 0;
    for (int i = 0; i < 2 * N; i++) {
        switch (state & 3) {
        case 0: a = 0.5 * a + 0.4 * x[i % N]; break;
        case 1: a = 0.2 * a * a + 0.3 * x[i % N]; break;
        case 2: a = 0.7 * a - 0.1 * x[i % N]; break;
        case 3: a = sin(a) + 0.2 * x[i % N];
        }
        state = (unsigned)(a * 16.0);
        y[i % M] = a;
    }
}
/* The same branch inside a loop whose end only the data tell. */
static void uncounted(const double *x, double *y) {
    for (int k = 0; k < M; k++) {
        double a = x[k], b = 1.0;
        while (a < 4.0) {
            if (b > 1.5) b *= 0.5;
            else b += a * x[k + M];
            if (a > 2.0) a *= 1.3;
            else if (b > 1.0) a += 0.4;
            else a *= 1.2 + 0.1 * b;
        }
        y[k] = a * b;
    }
}
AD_MAP(nested)
AD_MAP(guarded)
AD_MAP(cases_of)
AD_MAP(overwritten)
AD_MAP(automaton)
AD_MAP(uncounted)

int main(void) {
    check_case cases[] = {CHECK_MAP(nested, N, M),      CHECK_MAP(guarded, N, M),   CHECK_MAP(cases_of, N, M),
                          CHECK_MAP(overwritten, N, M), CHECK_MAP(automaton, N, M), CHECK_MAP(uncounted, N, M)};
    for (int i = 0; i < 6; i++) {
        cases[i].step = 1e-4;
        check_random_points(&cases[i], 3, 0.4, 1.0);
    }
    return check_done();
}
