/* The point of each of the four stages is kept; the transposed right-hand side gathers from neighbours, in vectors. */
#include "ode.h"

#include "kept.h"

#include <string.h>

static void cell(long n, const double *restrict p, const double *restrict s, double *restrict rate, long left, long i, long right) {
    const double *u = s, *v = s + n;
    double reaction = u[i] * u[i] * v[i];
    rate[i] = p[0] - (p[1] + 1.0) * u[i] + reaction + p[2] * (u[left] - 2.0 * u[i] + u[right]);
    rate[n + i] = p[1] * u[i] - reaction + p[3] * (v[left] - 2.0 * v[i] + v[right]);
}

static void right_hand_side(long n, const double *restrict p, const double *restrict s, double *restrict rate) {
    cell(n, p, s, rate, 0, 0, 1);
    for (long i = 1; i < n - 1; i++) cell(n, p, s, rate, i - 1, i, i + 1);
    cell(n, p, s, rate, n - 2, n - 1, n - 1);
}

/* sb = transpose at s of rb. Diffusion with closed ends is symmetric. */
static void cell_transposed(long n, const double *restrict p, const double *restrict s, const double *restrict rb, double *restrict sb,
                            long left, long i, long right) {
    double u = s[i], v = s[n + i], ub = rb[i], vb = rb[n + i], both = ub - vb;
    sb[i] = p[1] * vb - (p[1] + 1.0) * ub + 2.0 * u * v * both + p[2] * (rb[left] - 2.0 * ub + rb[right]);
    sb[n + i] = u * u * both + p[3] * (rb[n + left] - 2.0 * vb + rb[n + right]);
}

static void transposed(long n, const double *restrict p, const double *restrict s, const double *restrict rb, double *restrict sb) {
    cell_transposed(n, p, s, rb, sb, 0, 0, 1);
    for (long i = 1; i < n - 1; i++) cell_transposed(n, p, s, rb, sb, i - 1, i, i + 1);
    cell_transposed(n, p, s, rb, sb, n - 2, n - 1, n - 1);
}

/* Adds what the rates give to the adjoints of the parameters, in several sums at a time. */
static void parameters(long n, const double *restrict s, const double *restrict rb, double *restrict pb) {
    enum { LANES = 4 };
    double sum[4][LANES] = {{0.0}};
    const double *u = s, *v = s + n, *ub = rb, *vb = rb + n;
    for (int end = 0; end < 2; end++) {
        long i = end ? n - 1 : 0, next = end ? n - 2 : 1;
        sum[0][0] += ub[i];
        sum[1][0] += u[i] * (vb[i] - ub[i]);
        sum[2][0] += ub[i] * (u[next] - u[i]);
        sum[3][0] += vb[i] * (v[next] - v[i]);
    }
    long i = 1;
    for (; i + LANES <= n - 1; i += LANES)
        for (int k = 0; k < LANES; k++) {
            long j = i + k;
            sum[0][k] += ub[j];
            sum[1][k] += u[j] * (vb[j] - ub[j]);
            sum[2][k] += ub[j] * (u[j - 1] - 2.0 * u[j] + u[j + 1]);
            sum[3][k] += vb[j] * (v[j - 1] - 2.0 * v[j] + v[j + 1]);
        }
    for (; i < n - 1; i++) {
        sum[0][0] += ub[i];
        sum[1][0] += u[i] * (vb[i] - ub[i]);
        sum[2][0] += ub[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        sum[3][0] += vb[i] * (v[i - 1] - 2.0 * v[i] + v[i + 1]);
    }
    for (int q = 0; q < 4; q++)
        for (int k = 0; k < LANES; k++) pb[q] += sum[q][k];
}

static void advance(long n, double by, const double *restrict state, const double *restrict rate, double *restrict at) {
    for (long i = 0; i < n; i++) at[i] = state[i] + by * rate[i];
}

void ode_by_hand(long cells, long steps, double dt, const double *restrict p, double *restrict pb, double *restrict state,
                 double *restrict stateb) {
    long n = 2 * cells;
    double *points = kept_memory((size_t)((4 * steps + 6) * n)), *work = points + 4 * steps * n;
    double *k1 = work, *k2 = work + n, *k3 = work + 2 * n, *k4 = work + 3 * n, *rb = work + 4 * n, *sb = work + 5 * n;
    for (long s = 0; s < steps; s++) {
        double *at = points + 4 * s * n;
        memcpy(at, state, (size_t)n * sizeof *at);
        right_hand_side(cells, p, at, k1);
        advance(n, 0.5 * dt, state, k1, at + n);
        right_hand_side(cells, p, at + n, k2);
        advance(n, 0.5 * dt, state, k2, at + 2 * n);
        right_hand_side(cells, p, at + 2 * n, k3);
        advance(n, dt, state, k3, at + 3 * n);
        right_hand_side(cells, p, at + 3 * n, k4);
        for (long i = 0; i < n; i++) state[i] += dt / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
    /* Stage by stage backwards: rb is the adjoint of a stage's rate, sb what that gives to its point. */
    static const double weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}, by[4] = {0.0, 0.5, 0.5, 1.0};
    double *next = k1; /* the adjoint of the state before the step */
    for (long s = steps - 1; s >= 0; s--) {
        memcpy(next, stateb, (size_t)n * sizeof *next);
        for (int stage = 3; stage >= 0; stage--) {
            const double *at = points + (4 * s + stage) * n;
            double own = dt * weight[stage], later = stage < 3 ? dt * by[stage + 1] : 0.0;
            if (stage == 3)
                for (long i = 0; i < n; i++) rb[i] = own * stateb[i];
            else
                for (long i = 0; i < n; i++) rb[i] = own * stateb[i] + later * sb[i];
            parameters(cells, at, rb, pb);
            transposed(cells, p, at, rb, sb);
            for (long i = 0; i < n; i++) next[i] += sb[i];
        }
        memcpy(stateb, next, (size_t)n * sizeof *next);
    }
}
