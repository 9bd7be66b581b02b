// FINDLOC: the place of an element that equals a value. Places are constants for derivatives.

#include "reduce.h"
#include "places.h"

INLINE bool is_integer(int type) { return (type >= INT8 && type <= INT64) || (type >= UNSIGNED8 && type <= UNSIGNED64); }
INLINE bool is_logical(int type) { return type == LOGICAL8 || (type >= LOGICAL16 && type <= LOGICAL64); }
INLINE bool is_complex(int type) { return type == COMPLEX4 || type == COMPLEX8 || type == COMPLEX10; }

// The real part of a number.
INLINE long double real_of(const char *at, int type, size_t length) {
  switch (type) {
  case REAL8:
  case COMPLEX8:
    return *(const double *)at;
  case REAL4:
  case COMPLEX4:
    return *(const float *)at;
  case REAL10:
  case COMPLEX10:
    return *(const long double *)at;
  default:
    return integer_of(at, length);
  }
}
INLINE long double imaginary_of(const char *at, int type) {
  switch (type) {
  case COMPLEX8:
    return ((const double *)at)[1];
  case COMPLEX4:
    return ((const float *)at)[1];
  case COMPLEX10:
    return ((const long double *)at)[1];
  default:
    return 0;
  }
}

// The shorter text ends with blanks.
static __attribute__((noinline)) bool is_same_text(const char *a, size_t a_length, const char *b, size_t b_length) {
  size_t most = a_length > b_length ? a_length : b_length;
  for (size_t i = 0; i < most; i++)
    if ((i < a_length ? a[i] : ' ') != (i < b_length ? b[i] : ' '))
      return false;
  return true;
}

INLINE bool is_equal(const char *at, const descriptor *x, const descriptor *wanted) {
  int type = x->type, other = wanted->type;
  if (type == CHARACTER1)
    return is_same_text(at, x->length, wanted->base, wanted->length);
  if (is_logical(type))
    return is_true(at, x->length) == is_true(wanted->base, wanted->length);
  if (is_integer(type) && is_integer(other))
    return integer_of(at, x->length) == integer_of(wanted->base, wanted->length);
  return real_of(at, type, x->length) == real_of(wanted->base, other, wanted->length) &&
         imaginary_of(at, type) == imaginary_of(wanted->base, other);
}

INLINE void check_type(const descriptor *x, const char *file, int line) {
  int type = x->type;
  if (type != CHARACTER1 && !is_logical(type) && !is_integer(type) && !is_complex(type) && type != REAL4 && type != REAL8 && type != REAL10)
    _FortranAReportFatalUserError("FINDLOC: type without a model in adcc", file, line);
}

void MODEL(_FortranAFindloc)(descriptor *result, const descriptor *x, const descriptor *wanted, int kind, const char *file, int line,
                             const descriptor *mask, bool back) {
  check_type(x, file, line);
  check_type(wanted, file, line);
  int64_t place = 0;
  OVER_ALL(if ((!place || back) && is_equal(at, x, wanted)) place = (int64_t)(k * n + i) + 1);
  put_place(result, x, place, kind, file, line);
}
void MODEL(_FortranAFindlocDim)(descriptor *result, const descriptor *x, const descriptor *wanted, int kind, int dim, const char *file,
                                int line, const descriptor *mask, bool back) {
  check_type(x, file, line);
  check_type(wanted, file, line);
  int along = dim - 1;
  begin_partial(result, x, along, code_of(INTEGER, kind), (size_t)kind, file, line);
  OVER_LINES(int64_t place = 0, if ((!place || back) && is_equal(at, x, wanted)) place = (int64_t)i + 1, put_integer(to, place, kind));
}
