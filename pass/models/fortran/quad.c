// Functions that flang calls for real(10), whose arguments it converts to real(16) and whose results it converts back: the functions of
// libm for that type. The conversions fold.

#include "descriptor.h"

typedef __float128 quad;

#define ONE(name, function)                                                                                                            \
  long double function(long double);                                                                                                   \
  quad MODEL(_FortranA##name##F128)(quad x) { return function((long double)x); }
#define TWO(name, function)                                                                                                            \
  long double function(long double, long double);                                                                                      \
  quad MODEL(_FortranA##name##F128)(quad x, quad y) { return function((long double)x, (long double)y); }

ONE(Acos, acosl)
ONE(Acosh, acoshl)
ONE(Asin, asinl)
ONE(Asinh, asinhl)
ONE(Atan, atanl)
ONE(Atanh, atanhl)
ONE(Cos, cosl)
ONE(Cosh, coshl)
ONE(Erf, erfl)
ONE(Erfc, erfcl)
ONE(Exp, expl)
ONE(Floor, floorl)
ONE(Ceil, ceill)
ONE(J0, j0l)
ONE(J1, j1l)
ONE(Y0, y0l)
ONE(Y1, y1l)
ONE(Lgamma, lgammal)
ONE(Log, logl)
ONE(Log10, log10l)
ONE(Nearbyint, nearbyintl)
ONE(Round, roundl)
ONE(Sin, sinl)
ONE(Sinh, sinhl)
ONE(Sqrt, sqrtl)
ONE(Tan, tanl)
ONE(Tanh, tanhl)
ONE(Tgamma, tgammal)
ONE(Trunc, truncl)
TWO(Atan2, atan2l)
TWO(Copysign, copysignl)
TWO(Hypot, hypotl)
TWO(Pow, powl)

#define BESSEL(name, function)                                                                                                         \
  long double function(int, long double);                                                                                              \
  quad MODEL(_FortranA##name##F128)(int n, quad x) { return function(n, (long double)x); }
// In place of an intrinsic of LLVM, whose name is none in C.
quad MODEL(_FortranAPowiF128)(quad x, int n) { return __builtin_powil((long double)x, n); }
BESSEL(Jn, jnl)
BESSEL(Yn, ynl)
