/* Variables of a step of which the compiler computes ahead which one the next step will use: the address goes from step to step. And
 * variables that are declared around the loop, but used in the steps only. */
#include "requests.h"

enum { N = 3 };

static double same_memory(const double *x) {
    double a[1] = {0.5}, s = 0.0;
    for (int k = 0; k < 2; k++) {
        ad_checkpoint_loop(1);
        double *q[2] = {a, a};
        a[0] = x[0];
        s += q[k % 2][0] * x[1];
    }
    return s;
}
static double written(const double *x) {
    double a[2] = {0.5, 0.25};
    double *p[2];
    p[0] = a;
    for (unsigned char k = 1; k < 3; k++) {
        ad_checkpoint_loop(1);
        double *q[2];
        q[0] = p[0];
        q[1] = p[0];
        for (int i = 0; i < 2; i++) p[0][0] = x[1] * x[0];
        a[0] = q[k % 2][0];
    }
    return a[0];
}
static double two_arrays(const double *x) {
    double a[2] = {0.5, x[0]}, b[2] = {x[1], 0.1}, s = x[2];
    for (int k = 0; k < 5; k++) {
        ad_checkpoint_loop(2);
        double *q[2] = {a, b};
        double v[2] = {s, x[k % 3]};
        q[k % 2][1] += 0.3 * s * q[(k + 1) % 2][0];
        s = sin(s * v[k % 2] + q[k % 2][1]);
    }
    return s * a[1] + b[1];
}
/* Declared around the loop, begun in the first step, used in steps only. */
static double begun(const double *x) {
    double s = x[0], a[3];
    for (int k = 0; k < 5; k++) {
        ad_checkpoint_loop(2);
        if (k == 0)
            for (int i = 0; i < 3; i++) a[i] = x[i] * s;
        for (int i = 0; i < 3; i++) a[i] = sin(a[(i + k) % 3] + 0.5 * a[i]);
        s += a[k % 3];
    }
    return s;
}
static double begun_pointers(const double *x) {
    double s = x[0], a[2] = {x[1], x[2]}, *p[2];
    for (int k = 0; k < 6; k++) {
        ad_checkpoint_loop(2);
        if (k == 0) p[0] = &a[1], p[1] = &a[0];
        double *t = p[0];
        p[0] = p[1];
        p[1] = t;
        *p[k % 2] = sin(*p[0] + s * *p[1]);
        s = 0.5 * s + *p[(k + 1) % 2];
    }
    return s;
}
AD_FUNCTIONAL(same_memory)
AD_FUNCTIONAL(written)
AD_FUNCTIONAL(two_arrays)
AD_FUNCTIONAL(begun)
AD_FUNCTIONAL(begun_pointers)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(same_memory, N), CHECK_FUNCTIONAL(written, N), CHECK_FUNCTIONAL(two_arrays, N), CHECK_FUNCTIONAL(begun, N),
                          CHECK_FUNCTIONAL(begun_pointers, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
