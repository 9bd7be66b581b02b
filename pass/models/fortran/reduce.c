// Sums, products, extrema, dot products and norms. Sums are plain: the compiler's own loops are, too, and the library's compensation
// changes the last digit only. Reals of four bytes are added as doubles, as the library does.

#include "reduce.h"

double sqrt(double);
float sqrtf(float);
long double sqrtl(long double);

#define AT(T) (*(const T *)at)

#define REDUCTION(name, T, S, first, ...)                                                                                              \
  T MODEL(_FortranA##name)(const descriptor *x, const char *file, int line, int dim, const descriptor *mask) {                         \
    (void)file, (void)line, (void)dim;                                                                                                 \
    S s = first;                                                                                                                       \
    OVER_ALL(__VA_ARGS__);                                                                                                             \
    return (T)s;                                                                                                                       \
  }

// In memory as two reals.
#define COMPLEX_REDUCTION(name, T, S, first, ...)                                                                                      \
  void MODEL(_FortranACpp##name)(T *result, const descriptor *x, const char *file, int line, int dim, const descriptor *mask) {        \
    (void)file, (void)line, (void)dim;                                                                                                 \
    S re = first, im = 0;                                                                                                              \
    OVER_ALL(__VA_ARGS__);                                                                                                             \
    result[0] = (T)re;                                                                                                                 \
    result[1] = (T)im;                                                                                                                 \
  }
#define ADD_COMPLEX(T) re += AT(T); im += ((const T *)at)[1]
#define MULTIPLY_COMPLEX(T, S)                                                                                                         \
  S a = AT(T);                                                                                                                         \
  S b = ((const T *)at)[1];                                                                                                            \
  S left = re * a - im * b;                                                                                                            \
  im = re * b + im * a;                                                                                                                \
  re = left

REDUCTION(SumReal4, float, double, 0, s += AT(float))
REDUCTION(SumReal8, double, double, 0, s += AT(double))
REDUCTION(SumReal10, long double, long double, 0, s += AT(long double))
REDUCTION(SumInteger1, int8_t, int32_t, 0, s += AT(int8_t))
REDUCTION(SumInteger2, int16_t, int32_t, 0, s += AT(int16_t))
REDUCTION(SumInteger4, int32_t, uint32_t, 0, s += (uint32_t)AT(int32_t))
REDUCTION(SumInteger8, int64_t, uint64_t, 0, s += (uint64_t)AT(int64_t))
COMPLEX_REDUCTION(SumComplex4, float, double, 0, ADD_COMPLEX(float))
COMPLEX_REDUCTION(SumComplex8, double, double, 0, ADD_COMPLEX(double))
COMPLEX_REDUCTION(SumComplex10, long double, long double, 0, ADD_COMPLEX(long double))
REDUCTION(ProductReal4, float, double, 1, s *= AT(float))
REDUCTION(ProductReal8, double, double, 1, s *= AT(double))
REDUCTION(ProductReal10, long double, long double, 1, s *= AT(long double))
REDUCTION(ProductInteger1, int8_t, int32_t, 1, s = (int8_t)(s * AT(int8_t)))
REDUCTION(ProductInteger2, int16_t, int32_t, 1, s = (int16_t)(s * AT(int16_t)))
REDUCTION(ProductInteger4, int32_t, uint32_t, 1, s *= (uint32_t)AT(int32_t))
REDUCTION(ProductInteger8, int64_t, uint64_t, 1, s *= (uint64_t)AT(int64_t))
COMPLEX_REDUCTION(ProductComplex4, float, double, 1, MULTIPLY_COMPLEX(float, double))
COMPLEX_REDUCTION(ProductComplex8, double, double, 1, MULTIPLY_COMPLEX(double, double))
COMPLEX_REDUCTION(ProductComplex10, long double, long double, 1, MULTIPLY_COMPLEX(long double, long double))

// The first of equal ones counts. A NaN is taken only where there is nothing else; what is returned for no elements is none of them.
#define TAKE(T, relation)                                                                                                              \
  if (is_first || AT(T) relation s || s != s)                                                                                          \
    s = AT(T);                                                                                                                         \
  is_first = false
#define EXTREMUM(name, T, relation, first)                                                                                             \
  T MODEL(_FortranA##name)(const descriptor *x, const char *file, int line, int dim, const descriptor *mask) {                         \
    (void)file, (void)line, (void)dim;                                                                                                 \
    T s = first;                                                                                                                       \
    bool is_first = true;                                                                                                              \
    OVER_ALL(TAKE(T, relation));                                                                                                       \
    return s;                                                                                                                          \
  }
#define EXTREMA(suffix, T, least, most) EXTREMUM(Maxval##suffix, T, >, least) EXTREMUM(Minval##suffix, T, <, most)
EXTREMA(Real4, float, -__FLT_MAX__, __FLT_MAX__)
EXTREMA(Real8, double, -__DBL_MAX__, __DBL_MAX__)
EXTREMA(Real10, long double, -__LDBL_MAX__, __LDBL_MAX__)
EXTREMA(Integer1, int8_t, INT8_MIN, INT8_MAX)
EXTREMA(Integer2, int16_t, INT16_MIN, INT16_MAX)
EXTREMA(Integer4, int32_t, INT32_MIN, INT32_MAX)
EXTREMA(Integer8, int64_t, INT64_MIN, INT64_MAX)

// Along one dimension, by type. What a type that is not known would be cannot be left open here: reals come first.
#define PARTIAL(T, S, first, what)                                                                                                     \
  OVER_LINES(S s = first, what, *(T *)to = (T)s);                                                                                      \
  return
#define PARTIAL_COMPLEX(T, S, first, what)                                                                                             \
  OVER_LINES(S re = first; S im = 0, what, *(T *)to = (T)re; ((T *)to)[1] = (T)im);                                                    \
  return

void MODEL(_FortranASumDim)(descriptor *result, const descriptor *x, int dim, const char *file, int line, const descriptor *mask) {
  int along = dim - 1;
  begin_partial(result, x, along, x->type, x->length, file, line);
  switch (x->type) {
  case REAL8:
    PARTIAL(double, double, 0, s += AT(double));
  case REAL4:
    PARTIAL(float, double, 0, s += AT(float));
  case REAL10:
    PARTIAL(long double, long double, 0, s += AT(long double));
  case COMPLEX8:
    PARTIAL_COMPLEX(double, double, 0, ADD_COMPLEX(double));
  case COMPLEX4:
    PARTIAL_COMPLEX(float, double, 0, ADD_COMPLEX(float));
  case INT8:
    PARTIAL(int8_t, int32_t, 0, s += AT(int8_t));
  case INT16:
    PARTIAL(int16_t, int32_t, 0, s += AT(int16_t));
  case INT32:
    PARTIAL(int32_t, uint32_t, 0, s += (uint32_t)AT(int32_t));
  case INT64:
    PARTIAL(int64_t, uint64_t, 0, s += (uint64_t)AT(int64_t));
  default:
    _FortranAReportFatalUserError("SUM: type without a model in adcc", file, line);
  }
}
void MODEL(_FortranAProductDim)(descriptor *result, const descriptor *x, int dim, const char *file, int line, const descriptor *mask) {
  int along = dim - 1;
  begin_partial(result, x, along, x->type, x->length, file, line);
  switch (x->type) {
  case REAL8:
    PARTIAL(double, double, 1, s *= AT(double));
  case REAL4:
    PARTIAL(float, double, 1, s *= AT(float));
  case REAL10:
    PARTIAL(long double, long double, 1, s *= AT(long double));
  case COMPLEX8:
    PARTIAL_COMPLEX(double, double, 1, MULTIPLY_COMPLEX(double, double));
  case COMPLEX4:
    PARTIAL_COMPLEX(float, double, 1, MULTIPLY_COMPLEX(float, double));
  case INT32:
    PARTIAL(int32_t, uint32_t, 1, s *= (uint32_t)AT(int32_t));
  case INT64:
    PARTIAL(int64_t, uint64_t, 1, s *= (uint64_t)AT(int64_t));
  default:
    _FortranAReportFatalUserError("PRODUCT: type without a model in adcc", file, line);
  }
}
#define EXTREMUM_PARTIAL(T, relation, first)                                                                                           \
  OVER_LINES(T s = first; bool is_first = true, TAKE(T, relation), *(T *)to = s);                                                      \
  return
#define EXTREMUM_ALONG(name, text, relation, sign)                                                                                     \
  void MODEL(_FortranA##name##Dim)(descriptor * result, const descriptor *x, int dim, const char *file, int line,                      \
                                   const descriptor *mask) {                                                                           \
    int along = dim - 1;                                                                                                               \
    begin_partial(result, x, along, x->type, x->length, file, line);                                                                   \
    switch (x->type) {                                                                                                                 \
    case REAL8:                                                                                                                        \
      EXTREMUM_PARTIAL(double, relation, sign __DBL_MAX__);                                                                            \
    case REAL4:                                                                                                                        \
      EXTREMUM_PARTIAL(float, relation, sign __FLT_MAX__);                                                                             \
    case REAL10:                                                                                                                       \
      EXTREMUM_PARTIAL(long double, relation, sign __LDBL_MAX__);                                                                      \
    case INT32:                                                                                                                        \
      EXTREMUM_PARTIAL(int32_t, relation, sign INT32_MAX + (sign 1 < 0 ? -1 : 0));                                                     \
    case INT64:                                                                                                                        \
      EXTREMUM_PARTIAL(int64_t, relation, sign INT64_MAX + (sign 1 < 0 ? -1 : 0));                                                     \
    default:                                                                                                                           \
      _FortranAReportFatalUserError(text ": type without a model in adcc", file, line);                                                \
    }                                                                                                                                  \
  }
EXTREMUM_ALONG(Maxval, "MAXVAL", >, -)
EXTREMUM_ALONG(Minval, "MINVAL", <, +)

#define DOT(name, T, S)                                                                                                                \
  T MODEL(_FortranADotProduct##name)(const descriptor *x, const descriptor *y, const char *file, int line) {                           \
    if (x->dim[0].extent != y->dim[0].extent)                                                                                          \
      _FortranAReportFatalUserError("DOT_PRODUCT: sizes differ", file, line);                                                          \
    size_t n = (size_t)x->dim[0].extent;                                                                                               \
    S s = 0;                                                                                                                           \
    for (size_t i = 0; i < n; i++)                                                                                                     \
      s += (S) * (const T *)(x->base + (ptrdiff_t)i * x->dim[0].stride) * (S) * (const T *)(y->base + (ptrdiff_t)i * y->dim[0].stride); \
    return (T)s;                                                                                                                       \
  }
DOT(Real4, float, double)
DOT(Real8, double, double)
DOT(Real10, long double, long double)
DOT(Integer4, int32_t, uint32_t)
DOT(Integer8, int64_t, uint64_t)

// The first factor is conjugated.
#define COMPLEX_DOT(name, T, S)                                                                                                        \
  void MODEL(_FortranACppDotProduct##name)(T * result, const descriptor *x, const descriptor *y, const char *file, int line) {         \
    if (x->dim[0].extent != y->dim[0].extent)                                                                                          \
      _FortranAReportFatalUserError("DOT_PRODUCT: sizes differ", file, line);                                                          \
    size_t n = (size_t)x->dim[0].extent;                                                                                               \
    S re = 0, im = 0;                                                                                                                  \
    for (size_t i = 0; i < n; i++) {                                                                                                   \
      const T *p = (const T *)(x->base + (ptrdiff_t)i * x->dim[0].stride), *q = (const T *)(y->base + (ptrdiff_t)i * y->dim[0].stride); \
      S a = p[0], b = p[1], c = q[0], d = q[1];                                                                                        \
      re += a * c + b * d;                                                                                                             \
      im += a * d - b * c;                                                                                                             \
    }                                                                                                                                  \
    result[0] = (T)re;                                                                                                                 \
    result[1] = (T)im;                                                                                                                 \
  }
COMPLEX_DOT(Complex4, float, double)
COMPLEX_DOT(Complex8, double, double)

// Where squares would leave the range of numbers, elements are scaled by a power of two. The scale is no function of them that has a
// derivative, but a choice.
#define SQUARES(T, S) s += (S)AT(T) * scale * ((S)AT(T) * scale)
#define LARGEST(T, S)                                                                                                                  \
  S size = AT(T) < 0 ? -(S)AT(T) : (S)AT(T);                                                                                           \
  if (size > most || size != size)                                                                                                     \
  most = size
#define NORM(kind, T, S, root, small, large, up, down)                                                                                 \
  T MODEL(_FortranANorm2_##kind)(const descriptor *x, const char *file, int line, int dim) {                                           \
    (void)file, (void)line, (void)dim;                                                                                                 \
    const descriptor *mask = 0;                                                                                                        \
    S most = 0, s = 0;                                                                                                                 \
    OVER_ALL(LARGEST(T, S));                                                                                                           \
    S scale = most > large ? down : most < small && most > 0 ? up : 1;                                                                 \
    OVER_ALL(SQUARES(T, S));                                                                                                           \
    return (T)(root(s) / scale);                                                                                                       \
  }
NORM(4, float, double, sqrt, 0, __builtin_inf(), 1, 1)
NORM(8, double, double, sqrt, 0x1p-450, 0x1p450, 0x1p600, 0x1p-600)
NORM(10, long double, long double, sqrtl, 0x1p-7000L, 0x1p7000L, 0x1p9000L, 0x1p-9000L)

#define NORM_ALONG(T, S, root, small, large, up, down)                                                                                 \
  OVER_LINES(S most = 0; S s = 0, LARGEST(T, S), S scale = most > large ? down : most < small && most > 0 ? up : 1;                    \
             OVER(base, stride, asked, asked_stride, n, SQUARES(T, S)) *(T *)to = (T)(root(s) / scale));                               \
  return
void MODEL(_FortranANorm2Dim)(descriptor *result, const descriptor *x, int dim, const char *file, int line) {
  int along = dim - 1;
  const descriptor *mask = 0;
  begin_partial(result, x, along, x->type, x->length, file, line);
  switch (x->type) {
  case REAL8:
    NORM_ALONG(double, double, sqrt, 0x1p-450, 0x1p450, 0x1p600, 0x1p-600);
  case REAL4:
    NORM_ALONG(float, double, sqrt, 0, __builtin_inf(), 1, 1);
  case REAL10:
    NORM_ALONG(long double, long double, sqrtl, 0x1p-7000L, 0x1p7000L, 0x1p9000L, 0x1p-9000L);
  default:
    _FortranAReportFatalUserError("NORM2: type without a model in adcc", file, line);
  }
}
