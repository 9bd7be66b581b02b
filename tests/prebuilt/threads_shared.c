// ad-library: basic.c
// ad-link: -lm -lpthread
/* Gradients in several threads at once with respect to one array, each with a shadow of its own. Libraries are given numbers and local arrays. */
#include "requests.h"
#include <pthread.h>

double lib_sum(double x, double y);
double lib_power(double x, int n);
void lib_scale(double *v, int n, double s);

enum { COUNT = 6, THREADS = 4, REPEATS = 100 };
static double work(const double *x, double t) {
    double v[COUNT];
    for (int i = 0; i < COUNT; i++) v[i] = x[i] * x[(i + 1) % COUNT];
    lib_scale(v, COUNT, t);
    return v[0] * lib_sum(v[1], x[3]) + lib_power(v[4], 3) * x[5];
}

static double *shared;
typedef struct { double t, want[COUNT]; int bad; } task;

static void *adjoints(void *argument) {
    task *t = argument;
    for (int k = 0; k < REPEATS; k++) {
        double got[COUNT] = {0};
        __ad_adjoint_void((void *)work, ad_dup, shared, got, ad_const, t->t);
        for (int i = 0; i < COUNT; i++) t->bad += check_bits(got[i]) != check_bits(t->want[i]);
    }
    return NULL;
}

static void *tangents(void *argument) {
    task *t = argument;
    double dots[COUNT], want = 0;
    for (int i = 0; i < COUNT; i++) dots[i] = 1.0 / (i + t->t), want += dots[i] * t->want[i];
    for (int k = 0; k < REPEATS; k++) {
        double got = __ad_tangent_double((void *)work, ad_dup, shared, dots, ad_const, t->t);
        t->bad += !(fabs(got - want) <= 1e-12 * fabs(want));
    }
    return NULL;
}

static void all_at_once(void *(*run)(void *), task *tasks) {
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) pthread_create(&threads[k], NULL, run, &tasks[k]);
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
    for (int k = 0; k < THREADS; k++) check_true("as alone", tasks[k].bad == 0);
}

int main(void) {
    task tasks[THREADS] = {0};
    shared = malloc(COUNT * sizeof *shared);
    for (int i = 0; i < COUNT; i++) shared[i] = 0.4 + 0.1 * i;
    for (int k = 0; k < THREADS; k++) {
        tasks[k].t = 0.5 + k;
        __ad_adjoint_void((void *)work, ad_dup, shared, tasks[k].want, ad_const, tasks[k].t);
        double h = 1e-6, *x = shared;
        for (int i = 0; i < COUNT; i++) {
            double at = x[i];
            x[i] = at + h;
            double up = work(x, tasks[k].t);
            x[i] = at - h;
            double difference = (up - work(x, tasks[k].t)) / (2 * h);
            x[i] = at;
            check_close("alone", tasks[k].want[i], difference, 1e-7);
        }
    }
    all_at_once(adjoints, tasks);
    all_at_once(tangents, tasks);
    free(shared);
    return check_done();
}
