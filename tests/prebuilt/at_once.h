/* Derivatives of `work`, which the program defines before, in several threads at once: the same bits as alone. */
#include <pthread.h>

enum { THREADS = 4, REPEATS = 50 };
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
