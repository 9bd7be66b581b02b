/* Loops with ad_fixed_point that are refused: a marker outside of a loop, tolerances that are none or not known, two directives for one
 * loop, a state of which the adjoint cannot be measured.
 * ad-flags: -g
 * ad-error: AD050 61:9 'ad_fixed_point' is called outside of a loop, or in one that runs once [cause at diag/fixed_point.c:12:3]
 * ad-error: AD050 63:9 the tolerance of 'ad_fixed_point' is not between 0 and 1 [cause at diag/fixed_point.c:18:5]
 * ad-error: AD050 65:9 the tolerance of 'ad_fixed_point' is not known before the loop [cause at diag/fixed_point.c:27:5]
 * ad-error: AD050 67:9 one loop has both 'ad_fixed_point' and another directive of a loop [cause at diag/fixed_point.c:37:5]
 * ad-error: AD050 69:9 it holds reals of several sizes, or at irregular positions [cause at diag/fixed_point.c:51:5] */
#include "ad.h"

__attribute__((noinline)) static double outside(double x) {
  ad_fixed_point(1e-9);
  return x * x;
}

static double too_large(double x) {
  for (int t = 0; t < 9; t++) {
    ad_fixed_point(2.0);
    x = 0.5 * x + 1.0;
  }
  return x;
}

static double changing(double x) {
  double tolerance = 0.1;
  for (int t = 0; t < 9; t++) {
    ad_fixed_point(tolerance);
    x = 0.5 * x + 1.0;
    tolerance *= 0.1 * x;
  }
  return x;
}

static double both(double x, int n) {
  for (int i = 0; i < n; i++) {
    ad_checkpoint_loop(3);
    ad_fixed_point(1e-9);
    x = 0.5 * x + 1.0;
  }
  return x;
}

struct mixed {
  double wide[2];
  float narrow[2];
};

__attribute__((noinline)) static double of_mixed(struct mixed *m, double x, int n) {
  ad_checkpoint_state(m, sizeof *m);
  for (int i = 0; i < n; i++) {
    ad_fixed_point(1e-9);
    m->wide[i % 2] = 0.5 * m->narrow[0] + x;
    m->narrow[i % 2] = (float)(0.5 * m->wide[0]);
  }
  return m->wide[0];
}

double run(double x) {
  struct mixed m = {{0}}, mb = {{0}};
  double sum =
        __ad_adjoint((void *)outside, x);
  sum +=
        __ad_adjoint((void *)too_large, x);
  sum +=
        __ad_adjoint((void *)changing, x);
  sum +=
        __ad_adjoint((void *)both, x, 3);
  return sum +
        __ad_adjoint((void *)of_mixed, &m, &mb, x, 9);
}
