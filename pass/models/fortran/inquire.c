// Questions about descriptors, and reductions of logicals, whose results are constants for derivatives: contiguity, shapes, places of
// extrema, counts.

#include "places.h"
#include "reduce.h"

INLINE bool is_contiguous(const descriptor *x, int dimensions) {
  ptrdiff_t stride = (ptrdiff_t)x->length;
  bool is_one = true;
  EACH(d, x->rank) {
    if (d >= dimensions)
      break;
    ptrdiff_t extent = x->dim[d].extent;
    if (extent == 0)
      return true;
    if (extent != 1) {
      is_one = is_one && x->dim[d].stride == stride;
      stride *= extent;
    }
  }
  return is_one;
}
bool MODEL(_FortranAIsContiguous)(const descriptor *x) { return is_contiguous(x, x->rank); }
bool MODEL(_FortranAIsContiguousUpTo)(const descriptor *x, int dimensions) { return is_contiguous(x, dimensions); }

// The last dimension of an assumed-size array has no extent.
bool MODEL(_FortranAIsAssumedSize)(const descriptor *x) { return x->rank > 0 && x->dim[x->rank - 1].extent == -1; }

int64_t MODEL(_FortranASize)(const descriptor *x, const char *file, int line) {
  (void)file, (void)line;
  return (int64_t)elements(x);
}
int64_t MODEL(_FortranASizeDim)(const descriptor *x, int dim, const char *file, int line) {
  if (dim < 1 || dim > x->rank)
    _FortranAReportFatalUserError("SIZE: bad DIM=", file, line);
  return x->dim[dim - 1].extent;
}
int64_t MODEL(_FortranALboundDim)(const descriptor *x, int dim, const char *file, int line) {
  if (dim < 1 || dim > x->rank)
    _FortranAReportFatalUserError("LBOUND: bad DIM=", file, line);
  return x->dim[dim - 1].extent == 0 ? 1 : x->dim[dim - 1].lower;
}

bool MODEL(_FortranAAny)(const descriptor *x, const char *file, int line, int dim) {
  (void)file, (void)line, (void)dim;
  const descriptor *mask = 0;
  int64_t found = 0;
  OVER_ALL(found += is_true(at, x->length));
  return found != 0;
}
bool MODEL(_FortranAAll)(const descriptor *x, const char *file, int line, int dim) {
  (void)file, (void)line, (void)dim;
  const descriptor *mask = 0;
  int64_t missing = 0;
  OVER_ALL(missing += !is_true(at, x->length));
  return missing == 0;
}
int64_t MODEL(_FortranACount)(const descriptor *x, const char *file, int line, int dim) {
  (void)file, (void)line, (void)dim;
  const descriptor *mask = 0;
  int64_t found = 0;
  OVER_ALL(found += is_true(at, x->length));
  return found;
}

// The first of equal ones, or the last where `back` says so; a NaN only where there is nothing else.
#define IS_BETTER(relation)                                                                                                            \
  (!place || here relation best || (back && here == best) || (best != best && (back || here == here)))
#define FIND(T, relation)                                                                                                              \
  OVER_ALL(T here = *(const T *)at; if (IS_BETTER(relation)) {                                                                         \
    best = here;                                                                                                                       \
    place = (int64_t)(k * n + i) + 1;                                                                                                  \
  })
#define PLACE(name, T, relation)                                                                                                       \
  void MODEL(_FortranA##name)(descriptor * result, const descriptor *x, int kind, const char *file, int line, const descriptor *mask,  \
                              bool back) {                                                                                             \
    T best = 0;                                                                                                                        \
    int64_t place = 0;                                                                                                                 \
    FIND(T, relation);                                                                                                                 \
    put_place(result, x, place, kind, file, line);                                                                                     \
  }
#define PLACES(suffix, T) PLACE(Maxloc##suffix, T, >) PLACE(Minloc##suffix, T, <)
PLACES(Real4, float)
PLACES(Real8, double)
PLACES(Real10, long double)
PLACES(Integer1, int8_t)
PLACES(Integer2, int16_t)
PLACES(Integer4, int32_t)
PLACES(Integer8, int64_t)

#define VECTOR_OF(name, what)                                                                                                          \
  void MODEL(_FortranA##name)(char *result, const descriptor *x, int kind, const char *file, int line) {                               \
    (void)file, (void)line;                                                                                                            \
    EACH(d, x->rank) { put_integer(result + d * kind, what, kind); }                                                                   \
  }
VECTOR_OF(Lbound, x->dim[d].extent == 0 ? 1 : x->dim[d].lower)
VECTOR_OF(Ubound, x->dim[d].extent == 0 ? 0 : x->dim[d].lower + x->dim[d].extent - 1)
VECTOR_OF(Shape, x->dim[d].extent)

// Along one dimension.
#define LOGICAL_ALONG(name, first, what)                                                                                               \
  void MODEL(_FortranA##name##Dim)(descriptor * result, const descriptor *x, int dim, const char *file, int line) {                    \
    int along = dim - 1;                                                                                                               \
    const descriptor *mask = 0;                                                                                                        \
    begin_partial(result, x, along, x->type, x->length, file, line);                                                                   \
    OVER_LINES(int64_t s = first, what, put_integer(to, s, (int)x->length));                                                           \
  }
LOGICAL_ALONG(Any, 0, s |= is_true(at, x->length))
LOGICAL_ALONG(All, 1, s &= is_true(at, x->length))
void MODEL(_FortranACountDim)(descriptor *result, const descriptor *x, int dim, int kind, const char *file, int line) {
  int along = dim - 1;
  const descriptor *mask = 0;
  begin_partial(result, x, along, code_of(INTEGER, kind), (size_t)kind, file, line);
  OVER_LINES(int64_t s = 0, s += is_true(at, x->length), put_integer(to, s, kind));
}

// Places along one dimension.
#define PLACE_ALONG(T, relation)                                                                                                       \
  OVER_LINES(T best = 0; int64_t place = 0,                                                                                            \
             T here = *(const T *)at; if (IS_BETTER(relation)) {                                                                       \
               best = here;                                                                                                            \
               place = (int64_t)i + 1;                                                                                                 \
             },                                                                                                                        \
             put_integer(to, place, kind));                                                                                            \
  return
#define PLACES_ALONG(name, relation)                                                                                                   \
  void MODEL(_FortranA##name##Dim)(descriptor * result, const descriptor *x, int kind, int dim, const char *file, int line,            \
                                   const descriptor *mask, bool back) {                                                                \
    int along = dim - 1;                                                                                                               \
    begin_partial(result, x, along, code_of(INTEGER, kind), (size_t)kind, file, line);                                                 \
    switch (x->type) {                                                                                                                 \
    case REAL8:                                                                                                                        \
      PLACE_ALONG(double, relation);                                                                                                   \
    case REAL4:                                                                                                                        \
      PLACE_ALONG(float, relation);                                                                                                    \
    case REAL10:                                                                                                                       \
      PLACE_ALONG(long double, relation);                                                                                              \
    case INT32:                                                                                                                        \
      PLACE_ALONG(int32_t, relation);                                                                                                  \
    case INT64:                                                                                                                        \
      PLACE_ALONG(int64_t, relation);                                                                                                  \
    default:                                                                                                                           \
      _FortranAReportFatalUserError("MAXLOC or MINLOC: type without a model in adcc", file, line);                                     \
    }                                                                                                                                  \
  }
PLACES_ALONG(Maxloc, >)
PLACES_ALONG(Minloc, <)
