/* goto that stays reducible: forward over code, out of two loops, to a common exit, and a loop made of goto. */
#include "requests.h"

enum { N = 5 };

static double skip(const double *x) {
    double t = x[0] * x[1];
    if (x[2] > 0.5) goto last;
    t = t * x[2];
    if (x[3] > 0.5) goto middle;
    t = sin(t);
middle:
    t += x[4] * x[4];
last:
    return t * x[0];
}
static double out_of_nest(const double *x) {
    double t = 0.2;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            t += x[i] * x[j] * 0.3;
            if (t > 1.5) goto out;
        }
    t *= x[0];
out:
    return t * x[1];
}
static double goto_loop(const double *x) {
    double t = 1.0;
    int i = 0;
again:
    t = t * x[i] + 0.2;
    i++;
    if (i < N) goto again;
    return t;
}
static double cleanup(const double *x) {
    double *t = malloc(N * sizeof *t), result = 0.0;
    for (int i = 0; i < N; i++) t[i] = x[i] * x[i];
    if (t[0] > 1.0) {
        result = t[1];
        goto release;
    }
    if (t[1] > 1.0) {
        result = t[0] * t[2];
        goto release;
    }
    result = t[3] * sin(t[4]);
release:
    free(t);
    return result * x[2];
}
AD_FUNCTIONAL(skip)
AD_FUNCTIONAL(out_of_nest)
AD_FUNCTIONAL(goto_loop)
AD_FUNCTIONAL(cleanup)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(skip, N), CHECK_FUNCTIONAL(out_of_nest, N), CHECK_FUNCTIONAL(goto_loop, N), CHECK_FUNCTIONAL(cleanup, N)};
    const double points[][N] = {{0.9, 0.8, 0.7, 0.6, 1.1}, {0.9, 0.8, 0.3, 0.9, 1.1}, {0.4, 0.3, 0.2, 0.3, 0.25},
                                {1.3, 0.8, 0.3, 0.2, 1.1}, {0.8, 1.3, 0.3, 0.2, 1.1}};
    for (int i = 0; i < 4; i++) {
        cases[i].step = 0.004;
        for (int k = 0; k < 5; k++) check_at(&cases[i], points[k]);
    }
    return check_done();
}
