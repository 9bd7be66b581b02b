/* Independent loops that are refused: a marker outside of a loop, a loop with two markers, a step that cannot run again.
 * ad-flags: -g
 * ad-error: AD050 39:9 'ad_checkpoint_independent' is called outside of a loop [cause at diag/checkpoint_independent.c:10:3]
 * ad-error: AD050 41:9 one loop has both 'ad_checkpoint_loop' and 'ad_checkpoint_independent' [cause at diag/checkpoint_independent.c:18:5]
 * ad-error: AD050 43:9 frees memory that was allocated before it: this memory cannot be restored [cause at diag/checkpoint_independent.c:29:5] */
#include "ad.h"
#include <stdlib.h>

__attribute__((noinline)) static double outside(double x) {
  ad_checkpoint_independent();
  return x * x;
}

static double both(const double *x, int n) {
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    ad_checkpoint_loop(3);
    ad_checkpoint_independent();
    s += x[i] * x[i];
  }
  return s;
}

static double freed(double **x, int n) {
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    ad_checkpoint_independent();
    s += x[i][0] * x[i][1];
    free(x[i]);
  }
  return s;
}

int main(int count, char **words) {
  (void)words;
  double x[2] = {1.0, 2.0}, xb[2] = {0.0};
  double *p[1] = {malloc(16)}, *pb[1] = {calloc(2, 8)};
  double y =
        __ad_adjoint((void *)outside, x[0]);
  y +=
        __ad_adjoint((void *)both, x, xb, count);
  y +=
        __ad_adjoint((void *)freed, p, pb, count);
  return y > 0.0;
}
