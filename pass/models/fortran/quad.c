// Functions that flang calls for real(10), whose arguments it converts to real(16) and whose results it converts back: the functions of
// libm for that type. The conversions fold.

#include "descriptor.h"

typedef __float128 quad;

long double fmal(long double, long double, long double);
long double cabsl(_Complex long double);
_Complex long double cpowl(_Complex long double, _Complex long double);

#define ONE(name, function)                                                                                                            \
  long double function(long double);                                                                                                   \
  quad MODEL(_FortranA##name##F128)(quad x) { return function((long double)x); }
#define TWO(name, function)                                                                                                            \
  long double function(long double, long double);                                                                                      \
  quad MODEL(_FortranA##name##F128)(quad x, quad y) { return function((long double)x, (long double)y); }

ONE(Abs, fabsl)
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
TWO(Remainder, remainderl)

quad MODEL(_FortranAFmaF128)(quad x, quad y, quad z) { return fmal((long double)x, (long double)y, (long double)z); }

#define BESSEL(name, function)                                                                                                         \
  long double function(int, long double);                                                                                              \
  quad MODEL(_FortranA##name##F128)(int n, quad x) { return function(n, (long double)x); }
// In place of an intrinsic of LLVM, whose name is none in C.
quad MODEL(_FortranAPowiF128)(quad x, int n) { return __builtin_powil((long double)x, n); }
BESSEL(Jn, jnl)
BESSEL(Yn, ynl)

// Complex numbers are in memory.
typedef _Complex __float128 complex_quad;
typedef _Complex long double complex_extended;

#define COMPLEX(name, function)                                                                                                        \
  complex_extended function(complex_extended);                                                                                         \
  complex_quad MODEL(_FortranAC##name##F128)(complex_quad z) { return function((complex_extended)z); }
COMPLEX(Acos, cacosl)
COMPLEX(Acosh, cacoshl)
COMPLEX(Asin, casinl)
COMPLEX(Asinh, casinhl)
COMPLEX(Atan, catanl)
COMPLEX(Atanh, catanhl)
COMPLEX(Cos, ccosl)
COMPLEX(Cosh, ccoshl)
COMPLEX(Exp, cexpl)
COMPLEX(Log, clogl)
COMPLEX(Sin, csinl)
COMPLEX(Sinh, csinhl)
COMPLEX(Sqrt, csqrtl)
COMPLEX(Tan, ctanl)
COMPLEX(Tanh, ctanhl)
complex_quad MODEL(_FortranACPowF128)(complex_quad z, complex_quad w) { return cpowl((complex_extended)z, (complex_extended)w); }
// Powers by repeated multiplication, as the library has them.
complex_quad MODEL(_FortranAcqpowi)(complex_quad z, int n) {
  complex_extended base = (complex_extended)z, power = 1;
  for (unsigned k = n < 0 ? -(unsigned)n : (unsigned)n; k; k >>= 1) {
    if (k & 1)
      power *= base;
    if (k > 1)
      base *= base;
  }
  return n < 0 ? 1 / power : power;
}
quad MODEL(_FortranACAbsF128)(complex_quad z) { return cabsl((complex_extended)z); }
