/* A time loop over two buffers that exchange roles by swapping their pointers: heat conduction, and Burgers' equation. */
// ad-switches: what is overwritten and needed before
#include "requests.h"

enum { N = 8, STEPS = 5 };

static void heat(const double *x, double *y) {
    double first[N], second[N], *now = first, *next = second;
    for (int i = 0; i < N; i++) now[i] = x[i], next[i] = 0.0;
    for (int step = 0; step < STEPS; step++) {
        next[0] = now[0];
        next[N - 1] = now[N - 1];
        for (int i = 1; i < N - 1; i++) next[i] = now[i] + 0.2 * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
        double *t = now;
        now = next;
        next = t;
    }
    for (int i = 0; i < N; i++) y[i] = now[i];
}
AD_MAP(heat)
static void heat_jacobian(const double *x, double *J) { /* linear: the columns are the solutions from unit vectors */
    (void)x;
    double unit[N], column[N];
    for (int k = 0; k < N; k++) {
        for (int i = 0; i < N; i++) unit[i] = i == k;
        heat(unit, column);
        for (int i = 0; i < N; i++) J[i * N + k] = column[i];
    }
}

static double burgers(const double *x, int steps) { /* heap buffers, steps at run time, nonlinear */
    double *now = malloc(N * sizeof *now), *next = malloc(N * sizeof *next), sum = 0.0;
    for (int i = 0; i < N; i++) now[i] = x[i];
    while (steps-- > 0) {
        for (int i = 0; i < N; i++) {
            int left = (i + N - 1) % N, right = (i + 1) % N;
            next[i] = now[i] - 0.1 * now[i] * (now[i] - now[left]) + 0.05 * (now[left] - 2.0 * now[i] + now[right]);
        }
        double *t = now;
        now = next;
        next = t;
    }
    for (int i = 0; i < N; i++) sum += now[i] * now[i] * (i + 1.0);
    free(now);
    free(next);
    return sum;
}
static double burgers_even(const double *x) { return burgers(x, 6); }
static double burgers_odd(const double *x) { return burgers(x, 7); }
AD_FUNCTIONAL(burgers_even)
AD_FUNCTIONAL(burgers_odd)

int main(void) {
    check_case cases[] = {CHECK_MAP(heat, N, N), CHECK_FUNCTIONAL(burgers_even, N), CHECK_FUNCTIONAL(burgers_odd, N)};
    cases[0].jacobian = heat_jacobian;
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    return check_done();
}
