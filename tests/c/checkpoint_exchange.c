/* Arrays that change places from step to step: apart in each step if they were before the loop and are only exchanged. Here they are, in
 * cycles of two and three; or are not, as they begin in the same memory, or one of them is given up, or they are exchanged under a condition. */
#include "requests.h"

enum { N = 7, STEPS = 11 };

static __attribute__((noinline)) void step(int n, double c, const double *from, double *to) {
    for (int i = 0; i < n; i++) to[i] = 0.6 * from[i] + c * from[(i + 1) % n] * from[(i + n - 1) % n];
}

/* Two arrays, written out and by a call. */
static double two(const double *x) {
    double a[N], b[N], *u = a, *next = b;
    for (int i = 0; i < N; i++) a[i] = x[i], b[i] = 0.0;
    for (int t = 0; t < STEPS; t++) {
        ad_checkpoint_loop(3);
        for (int i = 0; i < N; i++) next[i] = u[i] * (1.0 - 0.2 * u[(i + 1) % N]) + 0.1 * x[i];
        step(N, 0.3, next, u);
        next[t % N] *= u[0];
        double *old = u;
        u = next;
        next = old;
    }
    return u[0] * next[1] + u[2] + a[3] * b[4];
}

/* Three in a cycle, and two more that change places at the same time. */
static double three(const double *x) {
    double m[5][N], *a = m[0], *b = m[1], *c = m[2], *p = m[3], *q = m[4], s = 0.0;
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < N; i++) m[k][i] = x[(i + k) % N] * (1.0 + 0.1 * k);
    for (int t = 0; t < STEPS; t++) {
        ad_checkpoint_loop(2);
        for (int i = 0; i < N; i++) {
            c[i] = 1.2 * b[i] - 0.4 * a[i] + 0.1 * b[(i + 1) % N] * p[i];
            q[i] = 0.5 * p[i] + 0.3 * c[i] * a[i];
        }
        s += c[t % N] * q[0];
        double *old = a;
        a = b, b = c, c = old;
        old = p, p = q, q = old;
    }
    return s + m[0][0] + m[1][1] * m[4][2];
}

/* Allocated, through a function that knows nothing of its arguments; once with both in the same memory. */
static __attribute__((noinline)) void march(double *u, double *next, int shift) {
    ad_checkpoint_state(u, (N + 1) * sizeof *u);
    ad_checkpoint_state(next, (N + shift) * sizeof *next);
    for (int t = 0; t < STEPS; t++) {
        ad_checkpoint_loop(3);
        for (int i = 0; i < N; i++) next[i] = u[i] * (1.0 - 0.2 * u[(i + 1) % N]) + 0.05;
        double *old = u;
        u = next;
        next = old;
    }
}
static double overlapping(const double *x) {
    double *a = malloc((N + 1) * sizeof *a), *b = malloc((N + 1) * sizeof *b), s;
    for (int i = 0; i < N + 1; i++) a[i] = x[i % N], b[i] = 0.0;
    march(a, b, 1);
    s = a[1] * b[2];
    march(a, a + 1, 0);
    march(b, b, 1);
    for (int i = 0; i < N; i++) s += a[i] * b[N - i];
    free(a), free(b);
    return s;
}

/* After the first step both lead to the same memory. */
static double given_up(const double *x) {
    double a[N], b[N], *u = a, *next = b;
    for (int i = 0; i < N; i++) a[i] = x[i], b[i] = 0.5 * x[i];
    for (int t = 0; t < STEPS; t++) {
        ad_checkpoint_loop(2);
        for (int i = 0; i < N; i++) next[i] = u[i] * (1.0 - 0.2 * u[(i + 1) % N]) + 0.1 * next[i];
        u = next;
    }
    return u[0] * u[1] + a[2] + b[3];
}

/* Exchanged under a condition, one of them twice, and with another one that is never written. */
static double sometimes(const double *x) {
    double m[3][N], *u = m[0], *next = m[1], *other = m[2];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++) m[k][i] = x[i] * (1.0 + 0.1 * k);
    for (int t = 0; t < STEPS; t++) {
        ad_checkpoint_loop(2);
        for (int i = 0; i < N; i++) next[i] = u[i] * (1.0 - 0.2 * other[(i + 1) % N]) + 0.1 * u[(i + 2) % N];
        if (t % 3 == 0) {
            double *old = u;
            u = next;
            next = old;
        } else if (t % 3 == 1) {
            other = u;
        }
    }
    return u[0] * next[1] + other[2] * m[0][3];
}

/* Left in the middle, before they are exchanged. */
static double until(const double *x) {
    double a[N], b[N], *u = a, *next = b;
    for (int i = 0; i < N; i++) a[i] = x[i], b[i] = x[i] * x[i];
    for (int t = 0;; t++) {
        ad_checkpoint_loop(2);
        for (int i = 0; i < N; i++) next[i] = u[i] * (0.8 + 0.1 * u[(i + 1) % N]);
        if (next[0] < 0.2 || t > 20) break;
        double *old = u;
        u = next;
        next = old;
    }
    return sin(u[1]) + cos(next[2]) * a[0] * 1e-2 + b[3] * 1e-2;
}

AD_FUNCTIONAL(two)
AD_FUNCTIONAL(three)
AD_FUNCTIONAL(overlapping)
AD_FUNCTIONAL(given_up)
AD_FUNCTIONAL(sometimes)
AD_FUNCTIONAL(until)

int main(void) {
    check_case cases[] = {
        CHECK_FUNCTIONAL(two, N), CHECK_FUNCTIONAL(three, N), CHECK_FUNCTIONAL(overlapping, N),
        CHECK_FUNCTIONAL(given_up, N), CHECK_FUNCTIONAL(sometimes, N), CHECK_FUNCTIONAL(until, N),
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) check_random_points(&cases[i], 3, 0.5, 1.1);
    return check_done();
}
