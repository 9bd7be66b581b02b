/* Functions of real(16), which flang calls for real(10) too, where flang's own library of them is not installed: those of the C library.
 * Programs that call none do not take this file from the library. */
#if defined(__x86_64__) && defined(__linux__)

typedef __float128 quad;
typedef _Complex float complex_quad __attribute__((mode(TC)));

/* The definition of a library beside this one is the program's. */
#define OURS __attribute__((weak))

#define ONE(name, function)                                                                                                            \
  quad function(quad);                                                                                                                 \
  OURS quad _FortranA##name##F128(quad x) { return function(x); }
#define TWO(name, function)                                                                                                            \
  quad function(quad, quad);                                                                                                           \
  OURS quad _FortranA##name##F128(quad x, quad y) { return function(x, y); }
#define ORDER(name, function)                                                                                                          \
  quad function(int, quad);                                                                                                            \
  OURS quad _FortranA##name##F128(int n, quad x) { return function(n, x); }
#define INTEGER(name, type, function)                                                                                                  \
  type function(quad);                                                                                                                 \
  OURS type _FortranA##name##F128(quad x) { return function(x); }
#define COMPLEX(name, function)                                                                                                        \
  complex_quad function(complex_quad);                                                                                                 \
  OURS complex_quad _FortranAC##name##F128(complex_quad z) { return function(z); }

ONE(Acos, acosf128)
ONE(Acosh, acoshf128)
ONE(Asin, asinf128)
ONE(Asinh, asinhf128)
ONE(Atan, atanf128)
ONE(Atanh, atanhf128)
ONE(Ceil, ceilf128)
ONE(Cos, cosf128)
ONE(Cosh, coshf128)
ONE(Erf, erff128)
ONE(Erfc, erfcf128)
ONE(Exp, expf128)
ONE(Floor, floorf128)
ONE(J0, j0f128)
ONE(J1, j1f128)
ONE(Lgamma, lgammaf128)
ONE(Log, logf128)
ONE(Log10, log10f128)
ONE(Nearbyint, nearbyintf128)
ONE(Round, roundf128)
ONE(Sin, sinf128)
ONE(Sinh, sinhf128)
ONE(Sqrt, sqrtf128)
ONE(Tan, tanf128)
ONE(Tanh, tanhf128)
ONE(Tgamma, tgammaf128)
ONE(Trunc, truncf128)
ONE(Y0, y0f128)
ONE(Y1, y1f128)
TWO(Atan2, atan2f128)
TWO(Hypot, hypotf128)
TWO(Pow, powf128)
TWO(Remainder, remainderf128)
ORDER(Jn, jnf128)
ORDER(Yn, ynf128)
INTEGER(Llround, long long, llroundf128)
INTEGER(Lround, long, lroundf128)
COMPLEX(Acos, cacosf128)
COMPLEX(Acosh, cacoshf128)
COMPLEX(Asin, casinf128)
COMPLEX(Asinh, casinhf128)
COMPLEX(Atan, catanf128)
COMPLEX(Atanh, catanhf128)
COMPLEX(Cos, ccosf128)
COMPLEX(Cosh, ccoshf128)
COMPLEX(Exp, cexpf128)
COMPLEX(Log, clogf128)
COMPLEX(Sin, csinf128)
COMPLEX(Sinh, csinhf128)
COMPLEX(Sqrt, csqrtf128)
COMPLEX(Tan, ctanf128)
COMPLEX(Tanh, ctanhf128)

quad fmaf128(quad, quad, quad);
OURS quad _FortranAFmaF128(quad x, quad y, quad z) { return fmaf128(x, y, z); }
quad cabsf128(complex_quad);
OURS quad _FortranACAbsF128(complex_quad z) { return cabsf128(z); }
complex_quad cpowf128(complex_quad, complex_quad);
OURS complex_quad _FortranACPowF128(complex_quad z, complex_quad w) { return cpowf128(z, w); }

#else
/* Elsewhere real(10) is none. */
typedef int adrt_no_quad;
#endif
