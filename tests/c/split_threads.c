/* Tapes of several threads at once; tapes that another thread reverses.
 * ad-link: -lpthread */
#include "requests.h"
#include <pthread.h>

extern void __ad_reverse_void(void *f, ...);

enum { N = 50, THREADS = 4, ROUNDS = 200 };

static double f(const double *x, int n) {
    double sum = 0.0, last = 1.0;
    for (int i = 0; i < n; i++) {
        last = last * 0.5 + x[i] * x[i];
        sum += last * last;
    }
    return sum;
}

typedef struct work { double x[N], xb[N], want[N]; void *tape; int failed; } work;

static void *many(void *argument) {
    work *w = (work *)argument;
    for (int round = 0; round < ROUNDS; round++) {
        double xb[N] = {0}, again[N] = {0};
        void *first = __ad_augmented((void *)f, w->x, xb, N);
        void *second = __ad_augmented((void *)f, w->x, again, N);
        __ad_reverse_void((void *)f, w->x, xb, N, 1.0, first);
        __ad_reverse_void((void *)f, w->x, again, N, 2.0, second);
        for (int i = 0; i < N; i++) w->failed += xb[i] != w->want[i] || again[i] != 2.0 * w->want[i];
    }
    w->tape = __ad_augmented((void *)f, w->x, w->xb, N);
    return NULL;
}

int main(void) {
    static work all[THREADS];
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++) {
        check_fill(all[t].x, N, 0.5, 1.0);
        __ad_reverse_void((void *)f, all[t].x, all[t].want, N, 1.0, __ad_augmented((void *)f, all[t].x, all[t].want, N));
        double joined[N] = {0};
        __ad_adjoint_void((void *)f, all[t].x, joined, N);
        for (int i = 0; i < N; i++) check_close("split against joined", all[t].want[i], joined[i], 1e-14);
    }
    for (int t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, many, &all[t]);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) {
        check_true("the same in every thread", all[t].failed == 0);
        __ad_reverse_void((void *)f, all[t].x, all[t].xb, N, 1.0, all[t].tape);
        for (int i = 0; i < N; i++) check_equal_bits("reversed by another thread", all[t].xb[i], all[t].want[i]);
    }
    return check_done();
}
