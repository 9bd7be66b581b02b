/* Checkpointed loops and regions that cannot become functions: a marker outside of a loop, numbers of snapshots that are not known
 * before it or are none, a state without a loop, memory on the stack that the next step uses.
 * ad-flags: -g
 * ad-error: AD050 54:9 the number of snapshots of 'ad_checkpoint_loop' is not known before the loop [cause at diag/checkpoint_loop.c:14:5]
 * ad-error: AD050 56:9 'ad_checkpoint_loop' is called outside of a loop [cause at diag/checkpoint_loop.c:21:5]
 * ad-error: AD050 58:9 'ad_checkpoint_loop' requests no snapshot [cause at diag/checkpoint_loop.c:28:5]
 * ad-error: AD050 60:9 no checkpointed loop or region follows in the function [cause at diag/checkpoint_loop.c:35:3]
 * ad-error: AD050 62:9 a checkpointed step allocates memory on the stack that the next step may use [cause at diag/checkpoint_loop.c:44:20] */
#include "ad.h"

static double changing(double x, int n) {
  for (int t = 0; t < 9; t++) {
    x = x * x;
    ad_checkpoint_loop(n);
    n = n * 3 + 1;
  }
  return x;
}

__attribute__((noinline)) static double outside(double x) {
    ad_checkpoint_loop(3);
    return x * x;
}

static double none(double x) {
  for (int t = 0; t < 9; t++) {
    x = x * x;
    ad_checkpoint_loop(0);
  }
  return x;
}

static double of_what(double x) {
  double u[4] = {x, x, x, x};
  ad_checkpoint_state(u, sizeof u);
  return u[1] * u[2];
}

static double on_stack(double x, int n) {
  double *last = &x;
  double s = x;
  for (int t = 0; t < n; t++) {
    ad_checkpoint_loop(2);
    double *next = __builtin_alloca(8 * (t + 2));
    for (int i = 0; i < t + 2; i++) next[i] = s * i;
    for (int i = 0; i < t + 1; i++) s = s + last[i];
    last = next;
  }
  return s;
}

double derivatives(double x, int n) {
  return
        __ad_adjoint((void *)changing, x, ad_const, n)
        +
        __ad_adjoint((void *)outside, x)
        +
        __ad_adjoint((void *)none, x)
        +
        __ad_adjoint((void *)of_what, x)
        +
        __ad_adjoint((void *)on_stack, x, ad_const, n);
}
