// Reductions by a function of the program, in order: of all elements, and along one dimension.

#include "objects.h"
#include "reduce.h"

#define NOTHING "REDUCE: no elements and no IDENTITY="

// `name` says how the function takes its arguments, `combine` calls it with s and the element that is here.
#define REDUCE_BY(name, T, operation, combined)                                                                                        \
  T MODEL(_FortranAReduce##name)(const descriptor *x, operation, const char *file, int line, int dim, const descriptor *mask,          \
                                 const T *identity, bool is_ordered) {                                                                 \
    (void)dim, (void)is_ordered;                                                                                                       \
    T s = 0;                                                                                                                           \
    bool has_any = false;                                                                                                              \
    OVER_ALL(T here = *(const T *)at; s = has_any ? combined : here; has_any = true);                                                  \
    if (!has_any && !identity)                                                                                                         \
      _FortranAReportFatalUserError(NOTHING, file, line);                                                                              \
    return has_any ? s : *identity;                                                                                                    \
  }
#define REDUCE_ALONG(symbol, T, operation, combined)                                                                                   \
  void MODEL(symbol)(descriptor * result, const descriptor *x, operation, const char *file, int line, int dim,                         \
                     const descriptor *mask, const T *identity, bool is_ordered) {                                                     \
    (void)is_ordered;                                                                                                                  \
    int along = dim - 1;                                                                                                               \
    begin_partial(result, x, along, x->type, x->length, file, line);                                                                   \
    OVER_LINES(T s = 0; bool has_any = false, T here = *(const T *)at; s = has_any ? combined : here; has_any = true,                  \
               if (!has_any && !identity) _FortranAReportFatalUserError(NOTHING, file, line);                                          \
               *(T *)to = has_any ? s : *identity);                                                                                    \
  }
#define REDUCE(kind, T)                                                                                                                \
  REDUCE_BY(kind##Ref, T, T (*combine)(const T *, const T *), combine(&s, &here))                                                      \
  REDUCE_BY(kind##Value, T, T (*combine)(T, T), combine(s, here))                                                                      \
  REDUCE_ALONG(_FortranAReduce##kind##DimRef, T, T (*combine)(const T *, const T *), combine(&s, &here))                               \
  REDUCE_ALONG(_FortranAReduce##kind##DimValue, T, T (*combine)(T, T), combine(s, here))
REDUCE(Real4, float)
REDUCE(Real8, double)
REDUCE(Real10, long double)
REDUCE(Integer1, int8_t)
REDUCE(Integer2, int16_t)
REDUCE(Integer4, int32_t)
REDUCE(Integer8, int64_t)

// Complex numbers in memory are two reals.
#define REDUCE_COMPLEX_BY(name, T, operation, combined)                                                                                \
  void MODEL(_FortranACppReduce##name)(T * result, const descriptor *x, operation, const char *file, int line, int dim,                \
                                       const descriptor *mask, const T *identity, bool is_ordered) {                                   \
    (void)dim, (void)is_ordered;                                                                                                       \
    T s = 0;                                                                                                                           \
    bool has_any = false;                                                                                                              \
    OVER_ALL(T here = *(const T *)at; s = has_any ? combined : here; has_any = true);                                                  \
    if (!has_any && !identity)                                                                                                         \
      _FortranAReportFatalUserError(NOTHING, file, line);                                                                              \
    *result = has_any ? s : *identity;                                                                                                 \
  }
#define REDUCE_COMPLEX(kind, T)                                                                                                        \
  REDUCE_COMPLEX_BY(kind##Ref, T, T (*combine)(const T *, const T *), combine(&s, &here))                                              \
  REDUCE_COMPLEX_BY(kind##Value, T, T (*combine)(T, T), combine(s, here))                                                              \
  REDUCE_ALONG(_FortranACppReduce##kind##DimRef, T, T (*combine)(const T *, const T *), combine(&s, &here))                            \
  REDUCE_ALONG(_FortranACppReduce##kind##DimValue, T, T (*combine)(T, T), combine(s, here))
REDUCE_COMPLEX(Complex4, float _Complex)
REDUCE_COMPLEX(Complex8, double _Complex)

// Objects: the function writes its result, which must not be one of its arguments, to memory.
typedef void (*of_objects)(void *result, const void *left, const void *right);
INLINE void put_object(char *to, const char *from, const derived_type *t) { copy_object(to, from, t, false); }
void MODEL(_FortranAReduceDerivedType)(char *result, const descriptor *x, of_objects combine, const char *file, int line, int dim,
                                       const descriptor *mask, const char *identity, bool is_ordered) {
  (void)dim, (void)is_ordered;
  const derived_type *t = type_of(x);
  if (!t || is_deep(t))
    _FortranAReportFatalUserError("adcc: REDUCE of objects with allocatable components is not differentiated", file, line);
  char *other = malloc(x->length);
  if (!other)
    _FortranAReportFatalUserError("REDUCE: no memory", file, line);
  bool has_any = false;
  OVER_ALL(if (!has_any) put_object(result, at, t); else {
    combine(other, result, at);
    put_object(result, other, t);
  } has_any = true);
  free(other);
  if (!has_any && !identity)
    _FortranAReportFatalUserError(NOTHING, file, line);
  if (!has_any)
    put_object(result, identity, t);
}
