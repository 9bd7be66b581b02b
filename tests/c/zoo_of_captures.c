/* Atomic additions of which the program captures what was in the variable before, or what is in it after: of one thread after the
 * other the old and the new value, so that sums of their squares' differences do not depend on the order.
 * ad-flags: -fopenmp
 * ad-link: -fopenmp
 * ad-i386: none, regions are refused there (AD051)
 */
#include "requests.h"
#include <math.h>

enum { N = 9, M = 64 };

/* The square of the whole sum, in as many steps as there are iterations. */
static double telescope(const double *x) {
    double total = x[0], squares = 0;
#pragma omp parallel for reduction(+ : squares)
    for (int i = 0; i < M; i++) {
        double step = sin(x[i % N]) * x[(i + 1) % N], old;
#pragma omp atomic capture
        {
            old = total;
            total += step;
        }
        squares += (old + step) * (old + step) - old * old;
    }
    return squares;
}
/* Of what is left, by floats, with the value afterwards. */
static double drained(const double *x) {
    float left = (float)(40 * x[0]);
    double drained = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : drained)
    for (int i = 0; i < M; i++) {
        float now, by = (float)(x[i % N] * 0.3);
#pragma omp atomic capture
        now = left -= by;
        drained += (double)now * now - (double)(now + by) * (now + by);
    }
    return drained;
}
static void drained_smooth(const double *x, double *y) {
    double left = 40 * x[0];
    for (int i = 0; i < M; i++) left -= x[i % N] * 0.3;
    y[0] = left * left - 1600 * x[0] * x[0];
}
/* What arrives gets a number and a share by what came before; the shares do not depend on it. */
static double numbered(const double *x) {
    double place[M], sum = 0, weight = 0;
    int next = 0;
#pragma omp parallel for
    for (int i = 0; i < M; i++) {
        int k;
        double before, w = x[i % N] * x[i % N];
#pragma omp atomic capture
        k = next++;
#pragma omp atomic capture
        {
            before = weight;
            weight += w;
        }
        place[k] = w * (2 * before + w);
    }
    for (int i = 0; i < M; i++) sum += place[i];
    return sum;
}
/* One thread: additions that nobody asks about between those whose old values are read. */
static double between(const double *x) {
    double level = 0, sum = 0;
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < M; i++) {
        double old, step = x[i % N] * 0.1;
        if (i % 3) {
#pragma omp atomic
            level += step;
        } else {
#pragma omp atomic capture
            {
                old = level;
                level += step * step;
            }
            sum += old * old * x[(i + 2) % N];
        }
    }
    return sum;
}
/* One thread: factors between the additions. */
static double factors(const double *x) {
    double level = 1;
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < M; i++) {
        if (i % 3) {
#pragma omp atomic
            level += x[i % N] * x[(i + 1) % N] * 0.1;
        } else {
#pragma omp atomic
            level *= x[i % N];
        }
    }
    return level;
}
/* Without a region. */
static double alone(const double *x) {
    double level = x[0], sum = 0, old;
    for (int i = 0; i < N; i++) {
#pragma omp atomic capture
        {
            old = level;
            level += x[i] * x[i];
        }
        sum += old * x[i];
    }
    return sum;
}

AD_FUNCTIONAL(telescope)
AD_FUNCTIONAL(drained)
AD_FUNCTIONAL(numbered)
AD_FUNCTIONAL(between)
AD_FUNCTIONAL(factors)
AD_FUNCTIONAL(alone)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(telescope, N), CHECK_FUNCTIONAL(numbered, N), CHECK_FUNCTIONAL(between, N),
                          CHECK_FUNCTIONAL(factors, N), CHECK_FUNCTIONAL(alone, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) check_random_points(&cases[i], 8, 0.4, 1.1);
    check_case floats = CHECK_FUNCTIONAL(drained, N);
    floats.smooth = drained_smooth;
    floats.tol_diff = 1e-3;
    floats.tol_dot = 1e-4;
    check_random_points(&floats, 4, 0.4, 1.1);
    return check_done();
}
