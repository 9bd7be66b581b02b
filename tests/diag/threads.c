/* A thread computes with variables, of which the call that starts it says nothing.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD021 22:38 'pthread_create' (threads) receives active data */
#include "ad.h"

#include <pthread.h>

static double in, out;
static void *work(void *unused) {
    out = in * in;
    return unused;
}
static double started(double x) {
    pthread_t thread;
    in = x;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return out;
}

double derivative(double x) { return __ad_adjoint((void *)started, x); }
