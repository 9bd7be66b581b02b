/* Global variables between functions that are called: what one stores another reads, overwrites with a constant, adds to,
 * or passes on by address. Out of line, in loops, in branches, recursively, and under a thread's own name. */
// ad-switches: aliasing
// ad-sanitizers: address
#include "requests.h"

enum { N = 5 };
#define APART __attribute__((noinline)) static

static double values[N];
static double sum;
double shared_total;
static _Thread_local double mine[N];
static struct {
    int count;
    double weight;
    float half;
    double history[N];
} state;
static double limit = 2.5; /* only read */

APART void fill(const double *x, double factor) {
    for (int i = 0; i < N; i++) values[i] = factor * x[i] * x[i];
}
APART void add_to_sum(int i) { sum += values[i] * values[(i + 1) % N]; }
APART void clear_sum(void) { sum = 0.0; }
APART void scale(double *t, double by) {
    for (int i = 0; i < N; i++) t[i] *= by;
}
APART double take_sum(void) {
    double s = sum;
    clear_sum();
    return s;
}

/* The second round starts from a cleared sum: nothing of the first may leak into it. */
static double rounds(const double *x) {
    double result = 0.0;
    clear_sum();
    for (int round = 0; round < 3; round++) {
        fill(x, 1.0 + round);
        if (round == 1) scale(values, x[0]);
        for (int i = 0; i < N; i++) add_to_sum(i);
        if (round != 1) result += take_sum();
        else clear_sum();
    }
    return result * limit;
}

/* A branch on data decides who overwrites. */
APART void remember(double v) {
    state.history[state.count++] = v;
    state.weight = v > 0.8 ? v * v : 1.0;
    state.half = (float)0.5;
}
static double history(const double *x) {
    state.count = 0;
    double result = 0.0;
    for (int i = 0; i < N; i++) {
        remember(x[i]);
        result += state.weight * state.half;
    }
    for (int i = 1; i < state.count; i++) result += state.history[i] * state.history[i - 1];
    return result;
}

APART double depth(const double *x, int n) {
    if (n == 0) return shared_total;
    shared_total = shared_total * x[n - 1] + x[n % N];
    double below = depth(x, n - 1);
    shared_total *= 0.5;
    return below + shared_total;
}
static double recursive(const double *x) {
    shared_total = 1.0;
    return depth(x, N) + shared_total;
}

APART void own(const double *x) {
    for (int i = 0; i < N; i++) mine[i] = sin(x[i]);
}
static double thread_local_values(const double *x) {
    own(x);
    double s = 0.0;
    for (int i = 0; i < N; i++) s += mine[i] * mine[N - 1 - i] * x[i];
    return s;
}

/* A counter that only the primal needs, and a cache that is filled once per call. */
static long calls;
static double counted(const double *x) {
    static double cache[N];
    static int valid;
    valid = 0;
    double s = 0.0;
    for (int k = 0; k < 3; k++) {
        calls++;
        if (!valid) {
            for (int i = 0; i < N; i++) cache[i] = x[i] * x[(i + 2) % N];
            valid = 1;
        }
        for (int i = 0; i < N; i++) s += (k + 1) * cache[i] * x[i];
    }
    return s;
}

AD_FUNCTIONAL(rounds)
AD_FUNCTIONAL(history)
AD_FUNCTIONAL(recursive)
AD_FUNCTIONAL(thread_local_values)
AD_FUNCTIONAL(counted)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(rounds, N), CHECK_FUNCTIONAL(history, N), CHECK_FUNCTIONAL(recursive, N),
                          CHECK_FUNCTIONAL(thread_local_values, N), CHECK_FUNCTIONAL(counted, N)};
    cases[1].step = 0.001, cases[1].tol_diff = 1e-6;
    for (int i = 0; i < 5; i++) check_random_points(&cases[i], 4, 0.4, 0.7);
    check_random_points(&cases[1], 3, 0.9, 1.3);
    check_true("counted", calls > 0);
    return check_done();
}
