/* Steps of checkpointed loops that must not run twice: random numbers, a function without body, a volatile access, memory that a step frees or
 * leaves behind.
 * ad-flags: -g
 * ad-error: AD050 - 'rand' may have another result or effect when its checkpointed step or joint call runs again
 * ad-error: AD050 - 'next_key' has no body in this file
 * ad-error: AD050 - a volatile or atomic access would be repeated
 * ad-error: AD050 - frees memory that was allocated before it
 * ad-error: AD050 - allocates memory that outlives it */
#include "ad.h"
#include <stdlib.h>

extern int next_key(void);
static volatile int port;

static double by_chance(double x) {
    for (int t = 0; t < 9; t++) {
        ad_checkpoint_loop(2);
        x = x * x * (rand() % 3);
    }
    return x;
}
static double by_key(double x) {
    for (int t = 0; t < 9; t++) {
        ad_checkpoint_loop(2);
        x = x * x * (next_key() % 3);
    }
    return x;
}
static double by_port(double x) {
    for (int t = 0; t < 9; t++) {
        ad_checkpoint_loop(2);
        x = x * x * port;
    }
    return x;
}
__attribute__((noinline)) static void drop(double **u, int k) {
    free(u[k]);
    u[k] = 0;
}
static double freeing(double x) {
    double *u[8], y = 0.0;
    for (int i = 0; i < 8; i++) u[i] = malloc(2 * sizeof *u[i]), u[i][0] = u[i][1] = x * i;
    for (int t = 0; t < 8; t++) {
        ad_checkpoint_loop(2);
        y += u[t][t & 1] * y + x;
        drop(u, t);
    }
    return y;
}
__attribute__((noinline)) static void replace(double **u, double x) {
    double *next = malloc(2 * sizeof *next);
    next[0] = (*u)[1] * x;
    next[1] = (*u)[0];
    *u = next;
}
static double leaving(double x) {
    double *u = malloc(2 * sizeof *u);
    u[0] = x, u[1] = 1.0;
    for (int t = 0; t < 8; t++) {
        ad_checkpoint_loop(2);
        replace(&u, x);
    }
    return u[0];
}

extern double __ad_adjoint_1(double (*)(double), double);

double all(double x) {
    return __ad_adjoint_1(by_chance, x) + __ad_adjoint_1(by_key, x) + __ad_adjoint_1(by_port, x) + __ad_adjoint_1(freeing, x) +
        __ad_adjoint_1(leaving, x);
}
