/* A struct with a pointer into itself, or to constants, is copied before anything active is in it. */
#include "requests.h"
#include <string.h>

struct stepper {
    double work[3];
    const double *scale;
    double table[2];
    int n;
};

static double run(struct stepper s, const double *x) {
    for (int i = 0; i < s.n; i++) s.work[i] = x[i] * x[i] * s.scale[i % 2];
    return s.work[0] * s.work[1] + s.work[2];
}
static double by_value(const double *x) {
    struct stepper c;
    c.table[0] = 2, c.table[1] = 3, c.n = 3, c.scale = c.table;
    return run(c, x) + run(c, x);
}
static double copied(const double *x) {
    double table[2] = {0.5, x[1] > 10 ? 1.5 : 2.5};
    struct stepper c = {{0}, table, {0}, 3}, d;
    memcpy(&d, &c, sizeof d);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < d.n; i++) d.work[i] += x[i] * d.scale[k];
    return d.work[0] * d.work[1] * d.work[2];
}
AD_FUNCTIONAL(by_value)
AD_FUNCTIONAL(copied)

int main(void) {
    struct check_case cases[] = {CHECK_FUNCTIONAL(by_value, 3), CHECK_FUNCTIONAL(copied, 3)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 2, 0.3, 1.1);
    return check_done();
}
