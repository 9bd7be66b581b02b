// Exceptions that a step throws and that are caught outside of it, and ones that it catches by their type.
// ad-flags: -g
// ad-error: AD050 40:9 is caught outside of it [cause at diag/checkpoint_exception.cpp:18:7]
// ad-error: AD050 42:9 catches an exception by its type [cause at diag/checkpoint_exception.cpp:28:5]
#include "ad.h"

__attribute__((noinline)) static double root(double x) {
  if (x < 0) throw 1;
  return x > 1 ? 1.5 * root(x / 2) + x : x * x;
}

static double outside(double x, int n) {
  double s = x;
  try {
    for (int t = 0; t < n; t++) {
      ad_checkpoint_loop(2);
      s +=
      root(x - t);
    }
  } catch (...) {
    s *= 2.0;
  }
  return s;
}

static double inside(double x, int n) {
  for (int t = 0; t < n; t++) {
    ad_checkpoint_loop(2);
    try {
      x += root(x - t);
    } catch (int) {
      x *= 2.0;
    }
  }
  return x;
}

double derivatives(double x, int n) {
  return
        __ad_adjoint<double>((void *)outside, x, ad_const, n)
        +
        __ad_adjoint<double>((void *)inside, x, ad_const, n);
}
