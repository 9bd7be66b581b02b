/* Tapes that hold checkpointed loops: reversed in another order, by another thread, not at all; memory changes in between. Threads
 * that undo such loops at the same time.
 * ad-link: -lpthread */
#include "requests.h"
#include <pthread.h>

extern void __ad_reverse_void(void *f, ...);

enum { N = 60, TAPES = 6, FIRST = 20 };

static void nothing(int n) { (void)n; }

#define MARCH(name, mark)                                                                              \
    static void name(int steps, double *u, double *y) {                                                \
        double next[N];                                                                                \
        ad_checkpoint_state_of(u);                                                                     \
        for (int t = 0; t < steps; t++) {                                                              \
            mark(3);                                                                                   \
            for (int i = 0; i < N; i++) next[i] = u[i] + 0.05 * sin(u[(i + t) % N] * u[i]);            \
            memcpy(u, next, sizeof next);                                                              \
        }                                                                                              \
        for (int i = 0; i < N; i++) *y += u[i] * u[i];                                                 \
    }
#define ad_checkpoint_state_of(u) ad_checkpoint_state(u, N * sizeof *u)
MARCH(march, ad_checkpoint_loop)
#undef ad_checkpoint_state_of
#define ad_checkpoint_state_of(u)
MARCH(march_plain, nothing)

typedef struct work {
    int steps;
    double u[N], ub[N], y, yb, want[N], value;
    void *tape;
} work;

static void start(work *w, int k) {
    w->steps = FIRST + k, w->y = 0.0, w->yb = 1.0 + k;
    for (int i = 0; i < N; i++) w->u[i] = 0.3 + 0.1 * k + 0.2 * sin(i), w->ub[i] = 0.0;
}

static void undo(work *w) { __ad_reverse_void((void *)march, w->steps, w->u, w->ub, &w->y, &w->yb, w->tape); }

static void *undo_odd(void *all) {
    for (int k = 1; k < TAPES - 1; k += 2) undo((work *)all + k);
    return NULL;
}

static void *whole(void *argument) {
    work *w = (work *)argument;
    for (int round = 0; round < 20; round++) {
        start(w, w->steps - FIRST);
        __ad_adjoint_void((void *)march, w->steps, w->u, w->ub, &w->y, &w->yb);
    }
    return NULL;
}

int main(void) {
    static work all[TAPES];
    for (int k = 0; k < TAPES; k++) {
        work *w = &all[k];
        start(w, k);
        __ad_adjoint_void((void *)march_plain, w->steps, w->u, w->ub, &w->y, &w->yb);
        memcpy(w->want, w->ub, sizeof w->want), w->value = w->y;
        start(w, k);
        w->tape = __ad_augmented((void *)march, w->steps, w->u, w->ub, &w->y, &w->yb);
        check_close("value", w->y, w->value, 1e-14);
        for (int i = 0; i < N; i++) w->u[i] = -1.0 - i;
    }
    pthread_t other;
    pthread_create(&other, NULL, undo_odd, all);
    for (int k = TAPES - 2; k >= 0; k -= 2) undo(&all[k]);
    pthread_join(other, NULL);
    adrt_tape_discard(all[TAPES - 1].tape);
    for (int k = 0; k < TAPES - 1; k++) {
        for (int i = 0; i < N; i++) {
            check_close("adjoint", all[k].ub[i], all[k].want[i], 1e-13);
            check_true("memory as before the reverse sweep", all[k].u[i] == -1.0 - i);
        }
    }
    for (int i = 0; i < N; i++) check_true("discarded", all[TAPES - 1].ub[i] == 0.0);

    pthread_t threads[TAPES];
    for (int k = 0; k < TAPES; k++) pthread_create(&threads[k], NULL, whole, &all[k]);
    for (int k = 0; k < TAPES; k++) pthread_join(threads[k], NULL);
    for (int k = 0; k < TAPES; k++)
        for (int i = 0; i < N; i++) check_close("in threads", all[k].ub[i], all[k].want[i], 1e-13);
    return check_done();
}
