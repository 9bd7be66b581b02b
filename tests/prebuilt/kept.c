// ad-library: keeping.c
// ad-static: yes
// ad-link: -lm
/* A library keeps pointers to arrays of reals in variables of its own, and uses them in later calls. */
#include "requests.h"

void keep_weights(const double *w, int n);
double keep_apply(double x);
void keep_model(const double *w);
double keep_run(double x);
void keep_sink(double *to);
void keep_add(double x);

enum { COUNT = 4 };

/* On the stack; changed after it was given. */
static double variable(const double *x) {
    double w[COUNT];
    for (int i = 0; i < COUNT; i++) w[i] = x[i] * x[i];
    keep_weights(w, COUNT);
    double y = keep_apply(x[0]);
    w[1] = x[2];
    return y * keep_apply(x[1]);
}
AD_FUNCTIONAL(variable)

/* On the heap. */
static double block(const double *x) {
    double *w = malloc(COUNT * sizeof *w);
    for (int i = 0; i < COUNT; i++) w[i] = x[i] * x[0];
    keep_weights(w, COUNT);
    w[3] *= x[3];
    double y = keep_apply(x[1]) + keep_apply(x[2]);
    free(w);
    return y;
}
AD_FUNCTIONAL(block)

/* The caller's own. */
static double argument(const double *x) {
    keep_weights(x, COUNT);
    return keep_apply(x[3]);
}
AD_FUNCTIONAL(argument)

static double in_block(const double *x) {
    double w[2] = {x[0] * x[1], x[2]};
    keep_model(w);
    double y = keep_run(x[3]);
    w[0] = x[1];
    return y * keep_run(x[0]);
}
AD_FUNCTIONAL(in_block)

static double written(const double *x) {
    double to[2] = {0, x[0]};
    keep_sink(to);
    keep_add(x[1]);
    to[1] *= x[2];
    keep_add(x[3]);
    return to[1] * to[1];
}
AD_FUNCTIONAL(written)

/* A library that is given one array after the other. */
static double frames(const double *x) {
    double y = 0;
    for (int k = 0; k < 20; k++) {
        double w[COUNT] = {x[k & 3], x[1] * k, x[2], x[3]};
        keep_weights(w, COUNT);
        y += keep_apply(x[(k + 1) & 3]);
    }
    return y;
}
AD_FUNCTIONAL(frames)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(variable, COUNT), CHECK_FUNCTIONAL(block, COUNT), CHECK_FUNCTIONAL(argument, COUNT),
                          CHECK_FUNCTIONAL(in_block, COUNT), CHECK_FUNCTIONAL(written, COUNT), CHECK_FUNCTIONAL(frames, COUNT)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 1.2);
    return check_done();
}
