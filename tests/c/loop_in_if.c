/* Loops inside conditionals inside loops, with conditions on data and on counters; a loop whose body is skipped by
 * continue, one left by break, and break out of a nest. */
// ad-switches: control flow
#include "requests.h"

enum { N = 6 };

static double mixed(const double *x) {
    double t = 0.5;
    for (int i = 0; i < N; i++) {
        if (x[i] > 0.7) {
            for (int j = 0; j < i; j++) {
                if (j % 2) t = t * x[j] + 0.1;
                else t = sin(t + x[j]);
            }
        } else if (i % 3 == 1) {
            t = t * x[i];
        }
        t += x[i] * x[i];
    }
    return t;
}
static double with_continue(const double *x) {
    double t = 1.0 + x[N - 1];
    for (int i = 0; i < N; i++) {
        if (x[i] < 0.6) continue;
        t = t * x[i];
        if (i == 3) continue;
        t += sin(x[i]);
    }
    return t;
}
static double with_break(const double *x) {
    double t = 0.0;
    for (int i = 0; i < N; i++) {
        t += x[i] * x[i];
        if (t > 1.2) break;
        t = t * 1.1;
    }
    return t * x[0];
}
static double break_nest(const double *x) {
    double t = 0.1;
    int done = 0;
    for (int i = 0; i < N && !done; i++)
        for (int j = 0; j < N; j++) {
            t += x[i] * x[j];
            if (t > 3.0) {
                done = 1;
                break;
            }
            if (j > i) break;
            t *= 1.05;
        }
    return t * t;
}
static double endless(const double *x) {
    double t = x[0];
    for (int i = 0;; i++) {
        t = t * 0.5 + x[i % N] * 0.1;
        if (i > 4 && t < 0.5) return t * x[1];
        if (i == 20) break;
    }
    return t;
}
AD_FUNCTIONAL(mixed)
AD_FUNCTIONAL(with_continue)
AD_FUNCTIONAL(with_break)
AD_FUNCTIONAL(break_nest)
AD_FUNCTIONAL(endless)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(mixed, N), CHECK_FUNCTIONAL(with_continue, N), CHECK_FUNCTIONAL(with_break, N),
                          CHECK_FUNCTIONAL(break_nest, N), CHECK_FUNCTIONAL(endless, N)};
    /* Values far enough from the thresholds that no difference crosses one. */
    const double points[][N] = {{0.9, 0.3, 0.8, 1.1, 0.4, 0.95}, {0.3, 0.9, 0.45, 0.35, 1.2, 0.5}, {1.3, 1.2, 0.9, 0.8, 1.0, 1.1},
                                {0.2, 0.3, 0.25, 0.35, 0.4, 0.1}};
    for (int i = 0; i < 5; i++) {
        cases[i].step = 0.004;
        for (int k = 0; k < 4; k++) check_at(&cases[i], points[k]);
    }
    return check_done();
}
