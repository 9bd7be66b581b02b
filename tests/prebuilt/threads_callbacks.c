// library: basic.c
// static
// link: -lm -lpthread
/* Gradients in several threads at once that call back from libraries. */
#include <pthread.h>

#include "requests.h"

double lib_sum(double x, double y);
double lib_power(double x, int n);
void lib_scale(double *v, int n, double s);
double lib_apply(double (*f)(double, void *), void *context, double a, double b, int n);

enum { COUNT = 6, THREADS = 4, REPEATS = 50 };
static double wave(double t, void *context) {
    double *w = context;
    return sin(w[0] * t) * exp(-w[1] * t);
}
static double work(const double *x) {
    double v[COUNT], w[2] = {x[0], x[1]};
    for (int i = 0; i < COUNT; i++) v[i] = x[i] * x[(i + 1) % COUNT];
    lib_scale(v, COUNT, x[2]);
    return v[0] * lib_sum(v[1], x[3]) + lib_power(v[4], 3) + lib_apply(wave, w, 0, x[5], 8);
}
AD_FUNCTIONAL(work)

typedef struct { double x[COUNT], want[COUNT], dot; int bad; } task;
static void tangent(task *t, double *yd) {
    double xd[COUNT], y;
    for (int i = 0; i < COUNT; i++) xd[i] = i + 1;
    work_tangent(t->x, xd, &y, yd);
}
static void *adjoints(void *argument) {
    task *t = argument;
    for (int k = 0; k < REPEATS; k++) {
        double got[COUNT] = {0};
        work_adjoint(t->x, got, NULL, NULL);
        for (int i = 0; i < COUNT; i++) t->bad += check_bits(got[i]) != check_bits(t->want[i]);
    }
    return NULL;
}
static void *tangents(void *argument) {
    task *t = argument;
    for (int k = 0; k < REPEATS; k++) {
        double yd;
        tangent(t, &yd);
        t->bad += check_bits(yd) != check_bits(t->dot);
    }
    return NULL;
}
static task tasks[THREADS];
static void all_at_once(void *(*run)(void *)) {
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) pthread_create(&threads[k], NULL, run, &tasks[k]);
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
    for (int k = 0; k < THREADS; k++) check_true("the same bits as alone", tasks[k].bad == 0);
}

int main(void) {
    check_case c = CHECK_FUNCTIONAL(work, COUNT);
    check_random_points(&c, 2, 0.3, 0.9);
    for (int k = 0; k < THREADS; k++) {
        check_fill(tasks[k].x, COUNT, 0.3, 0.9);
        work_adjoint(tasks[k].x, tasks[k].want, NULL, NULL);
        tangent(&tasks[k], &tasks[k].dot);
        double sum = 0;
        for (int i = 0; i < COUNT; i++) sum += tasks[k].want[i] * (i + 1);
        check_close("both modes", sum, tasks[k].dot, 1e-12);
    }
    /* One mode at a time: a tangent beside a recording is refused (AS049). */
    all_at_once(adjoints);
    all_at_once(tangents);
    return check_done();
}
