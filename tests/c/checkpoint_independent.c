/* Loops whose iterations are undone one by one (ad_checkpoint_independent): sums over paths, arrays that are changed in place, private
 * work arrays, sums in arrays, scalars that go from one to the next all the same, several exits, loops in loops. */
#include "requests.h"

enum { N = 6, PATHS = 40, STEPS = 30 };

/* The mean of a payoff over paths; the generator goes on from one path to the next, and so does the price of the last path that it marks. */
static double paths(const double *x) {
    double s = 0.0, last = 0.0;
    unsigned state = 12345;
    for (int i = 0; i < PATHS; i++) {
        ad_checkpoint_independent();
        double price = x[0];
        for (int t = 0; t < STEPS; t++) {
            state = state * 1664525u + 1013904223u;
            double noise = (state >> 8) * 0x1p-24 - 0.5;
            price *= exp(0.05 * x[1] * sin(price) + 0.2 * x[2] * noise);
        }
        if (state % 7 < 2) last = price;
        s += state & 256 ? (price - x[3]) * x[4] : 0.1 * x[5] * price * price;
    }
    return s / PATHS + 0.1 * last;
}

/* Each iteration changes its own part of an array in place, reads what none changes, and writes its own output; the array and the outputs are
 * used before and behind the loop. */
static void in_place(const double *x, double *y) {
    double u[50], v[50];
    for (int i = 0; i < 50; i++) u[i] = x[i % N] * (1.0 + 0.01 * i), v[i] = cos(u[i]);
    for (int i = 0; i < 50; i++) {
        ad_checkpoint_independent();
        for (int k = 0; k < 5; k++) u[i] = sin(u[i] * v[(i + k) % 50]) + 0.5 * u[i];
    }
    for (int i = 0; i < 50; i++) v[i] *= u[i];
    for (int j = 0; j < N; j++) {
        y[j] = 0.0;
        for (int i = j; i < 50; i += N) y[j] += u[i] * v[49 - i];
    }
}

/* A work array that each iteration fills, sums of more than a few bytes, and a function that stays a call. */
static __attribute__((noinline)) double worked(const double *w, double *sums, int i, double c) {
    double s = 0.0;
    for (int k = 0; k < 60; k++) s = s * 0.5 + sin(w[k] * c), sums[(i + k) % 70] += w[k] * w[k];
    return s;
}
static double work(const double *x) {
    double w[60], sums[70], s = 0.0;
    for (int k = 0; k < 70; k++) sums[k] = x[k % N];
    for (int i = 0; i < 25; i++) {
        ad_checkpoint_independent();
        for (int k = 0; k < 60; k++) w[k] = x[(i + k) % N] * (k + 1) * 0.02;
        s += worked(w, sums, i, x[i % N]);
    }
    for (int k = 0; k < 70; k++) s += sums[k] * sums[69 - k] * 1e-2;
    return s;
}

/* Left in the middle, in one of two ways, at a bound that is not known before; what is read is overwritten behind. */
static double searched(const double *x) {
    double u[40], sum = 0.0, found = 0.0;
    for (int i = 0; i < 40; i++) u[i] = x[i % N] * (1.0 + 0.05 * i);
    for (int i = 0;; i++) {
        ad_checkpoint_independent();
        if (sum > 20.0 * x[1]) {
            found = sum * u[i];
            break;
        }
        if (i == 39) break;
        sum += u[i] * u[39 - i] * sin(u[i]);
    }
    for (int i = 0; i < 40; i++) u[i] = sum * u[i];
    return found + u[3] * u[4] + sum;
}

/* A chain of scalars, though nothing asks for it here: they are kept for each step. */
static double chain(const double *x) {
    double a = x[0], b = x[1];
    for (int i = 0; i < 30; i++) {
        ad_checkpoint_independent();
        double c = sin(a * x[2]) + b * x[3];
        b = a * x[4];
        a = c * cos(x[5] + i);
    }
    return a + b;
}

/* In steps of a loop with snapshots, and with such a loop inside. */
static double nested(const double *x) {
    double u[40], sum = 0.0;
    for (int i = 0; i < 40; i++) u[i] = x[i % N];
    for (int t = 0; t < 7; t++) {
        ad_checkpoint_loop(2);
        double mean = 0.0;
        ad_checkpoint_state(u, sizeof u);
        for (int i = 0; i < 40; i++) {
            ad_checkpoint_independent();
            double v = u[i];
            for (int k = 0; k < 6; k++) {
                ad_checkpoint_loop(2);
                v = sin(v * x[k]) + 0.1 * v;
            }
            u[i] = v + x[t % N];
            mean += v / 40;
        }
        for (int i = 0; i < 40; i++) u[i] *= 1.0 - 0.1 * mean;
        sum += mean * mean;
    }
    return sum + u[7];
}

/* Through pointers of which nothing but a size is known, in recursion, and none at all. */
static __attribute__((noinline)) void each(double *u, const double *c, int n, int depth) {
    ad_checkpoint_state(u, n * sizeof *u);
    ad_checkpoint_state(c, N * sizeof *c);
    for (int i = 0; i < n; i++) {
        ad_checkpoint_independent();
        u[i] = u[i] * c[i % N] + sin(u[i] * c[depth]);
    }
    if (depth > 0) each(u, c, n, depth - 1);
}
static double pointers(const double *x) {
    double u[80], s = 0.0;
    for (int i = 0; i < 80; i++) u[i] = x[i % N] + 0.01 * i;
    each(u, x, 80, 3);
    each(u, x, 0, 1);
    for (int i = 0; i < 80; i++) s += u[i] * u[79 - i];
    return s;
}

AD_FUNCTIONAL(paths)
AD_MAP(in_place)
AD_FUNCTIONAL(work)
AD_FUNCTIONAL(searched)
AD_FUNCTIONAL(chain)
AD_FUNCTIONAL(nested)
AD_FUNCTIONAL(pointers)

int main(void) {
    check_case cases[] = {
        CHECK_FUNCTIONAL(paths, N), CHECK_MAP(in_place, N, N), CHECK_FUNCTIONAL(work, N), CHECK_FUNCTIONAL(searched, N),
        CHECK_FUNCTIONAL(chain, N), CHECK_FUNCTIONAL(nested, N), CHECK_FUNCTIONAL(pointers, N),
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
