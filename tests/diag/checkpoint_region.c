/* Regions whose begin and end do not belong together.
 * ad-flags: -g
 * ad-error: AD050 49:9 is not reached on every path [cause at diag/checkpoint_region.c:11:3]
 * ad-error: AD050 51:9 without an 'ad_checkpoint_begin' [cause at diag/checkpoint_region.c:19:5]
 * ad-error: AD050 53:9 are not in the same loop [cause at diag/checkpoint_region.c:25:3]
 * ad-error: AD050 55:9 one 'ad_checkpoint_begin' has several 'ad_checkpoint_end' [cause at diag/checkpoint_region.c:36:3] */
#include "ad.h"

static double open_end(double x) {
  x = x * x;
  ad_checkpoint_begin();
  if (x > 2.0) return x;
  x = x * x;
  ad_checkpoint_end();
  return x;
}

static double no_begin(double x) {
    ad_checkpoint_end();
    x = x * x;
    return x;
}

static double around(double x, int n) {
  ad_checkpoint_begin();
  int i = 0;
  do {
    x = x * x;
    ad_checkpoint_end();
    x = x + 0.5;
  } while (++i < n);
  return x;
}

static double two_ends(double x) {
  ad_checkpoint_begin();
  if (x > 2.0) {
    x = x * x;
    ad_checkpoint_end();
  } else {
    x = 3.0 * x * x;
    ad_checkpoint_end();
  }
  return x;
}

double derivatives(double x, int n) {
  return
        __ad_adjoint((void *)open_end, x)
        +
        __ad_adjoint((void *)no_begin, x)
        +
        __ad_adjoint((void *)around, x, ad_const, n)
        +
        __ad_adjoint((void *)two_ends, x);
}
