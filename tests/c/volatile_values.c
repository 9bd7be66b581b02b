/* Volatile accesses: each is done once per run, in the program's order; what they move has derivatives all the same. */
#include "requests.h"

enum { N = 4 };

static volatile double port;
static volatile int reads;

static double through_volatile(const double *x) {
    volatile double sum = 0.0;
    volatile double table[N];
    double *volatile where = (double *)table;
    for (int i = 0; i < N; i++) {
        table[i] = x[i] * x[i];
        sum = sum + table[i] * x[(i + 1) % N];
        reads = reads + 1;
    }
    where[1] = sin(sum);
    port = table[1] * table[0];
    return port * port + sum;
}

/* Overwritten and read again: nothing of it may be recomputed from memory. */
static double overwritten(const double *x) {
    volatile double v = x[0];
    double product = 1.0;
    for (int i = 1; i < N; i++) {
        double before = v;
        v = before * before + x[i];
        product *= v;
    }
    return product;
}

AD_FUNCTIONAL(through_volatile)
AD_FUNCTIONAL(overwritten)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(through_volatile, N), CHECK_FUNCTIONAL(overwritten, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 4, 0.4, 1.1);
    double x[N] = {0.5, 0.6, 0.7, 0.8}, xd[N] = {1.0}, xb[N] = {0}, y, yd;
    reads = 0;
    through_volatile_tangent(x, xd, &y, &yd);
    check_true("the tangent runs once", reads == N);
    through_volatile_adjoint(x, xb, &y, NULL);
    check_true("the adjoint runs once", reads == 2 * N);
    return check_done();
}
