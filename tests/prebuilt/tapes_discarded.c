// ad-library: basic.c
// ad-link: -lm -lpthread
/* Tapes that are given up: what they recorded of calls of machine code goes with them, in whatever order, and whichever thread does it; other tapes are as
 * they were. */
#include "requests.h"

#include <pthread.h>

double lib_sum(double x, double y);
void lib_scale(double *v, int n, double s);
void lib_reset(void);
void lib_push(double x);
double lib_total(void);
extern void *__ad_augmented(void *, ...);
extern double __ad_reverse(void *, ...);

enum { COUNT = 3, ORDERS = 6, MANY = 4000, WARM = 500 };

static double arrays(double x) {
    double v[2] = {x, x * x};
    lib_scale(v, 2, x);
    return lib_sum(v[0], v[1]) * x;
}
static double state(double x) {
    lib_reset();
    lib_push(x), lib_push(x * x);
    return lib_total() * x;
}

static double points[COUNT] = {0.5, 0.9, 1.3};

/* One tape is reversed, the others are given up before it and behind it. */
static void check_orders(double (*gradient)(double), void *(*record)(double), double (*reverse)(double, void *)) {
    static const int orders[ORDERS][COUNT] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int order = 0; order < ORDERS; order++)
        for (int kept = 0; kept < COUNT; kept++) {
            void *tapes[COUNT];
            for (int k = 0; k < COUNT; k++) tapes[k] = record(points[k]);
            double got = 0;
            for (int k = 0; k < COUNT; k++) {
                int which = orders[order][k];
                if (which == kept)
                    got = reverse(points[which], tapes[which]);
                else
                    adrt_tape_discard(tapes[which]);
            }
            check_close("the one that was kept", got, gradient(points[kept]), 1e-14);
        }
}

#define FUNCTIONS(f)                                                                          \
    static double gradient_##f(double x) { return __ad_adjoint_double((void *)f, x); }        \
    static void *record_##f(double x) { return __ad_augmented((void *)f, x); }                \
    static double reverse_##f(double x, void *tape) { return __ad_reverse((void *)f, x, 1.0, tape); }
FUNCTIONS(arrays)
FUNCTIONS(state)

/* Kilobytes of memory that are there. */
static long resident(void) {
    long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &here) != 2) check_close("statm can be read", 0, 1, 0);
    if (file) fclose(file);
    return here * 4;
}

/* A bound on memory: each tape that stayed would be some hundred bytes. */
static void check_memory(void) {
    long before = 0;
    for (int k = 0; k < WARM + MANY; k++) {
        if (k == WARM) before = resident();
        adrt_tape_discard(record_arrays(0.5));
        void *older = record_state(0.7), *newer = record_arrays(0.8);
        adrt_tape_discard(older);
        adrt_tape_discard(newer);
    }
    check_close("memory grows", resident() - before < 1024, 1, 0);
}

/* A tangent may follow: nothing waits for a reverse sweep any more. */
static void check_tangent(void) {
    adrt_tape_discard(record_arrays(0.5));
    double h = 1e-6;
    check_close("tangent", __ad_tangent_double((void *)arrays, 0.5, 1.0), (arrays(0.5 + h) - arrays(0.5 - h)) / (2 * h), 1e-8);
}

static void *left;
static double own;
static pthread_barrier_t barrier;

/* What this thread recorded is given up by the other one, while this one waits; then it goes on. */
static void *work(void *unused) {
    void *kept = record_arrays(0.9);
    left = record_state(0.5);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    own = reverse_arrays(0.9, kept);
    for (int k = 0; k < 10; k++) own += gradient_state(1.1) / 10;
    return unused;
}

static void check_threads(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, work, 0);
    pthread_barrier_wait(&barrier);
    adrt_tape_discard(left);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, 0);
    check_close("of the thread", own, gradient_arrays(0.9) + gradient_state(1.1), 1e-14);
}

int main(void) {
    check_orders(gradient_arrays, record_arrays, reverse_arrays);
    check_orders(gradient_state, record_state, reverse_state);
    check_memory();
    check_tangent();
    check_threads();
    return check_done();
}
