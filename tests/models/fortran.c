// Models of flang's runtime beside the library: the same descriptors, with strides, bounds and masks at random, to both.

#include "../../pass/models/fortran/descriptor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(what)                                                                                                                   \
  do {                                                                                                                                 \
    if (!(what)) {                                                                                                                     \
      printf("line %d, round %d: %s\n", __LINE__, turn, #what);                                                                        \
      exit(1);                                                                                                                         \
    }                                                                                                                                  \
  } while (0)

static int turn;
static uint64_t state = 88172645463325252u;
static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 33) % n;
}

enum { MOST = 32768 };

// An array in memory of its own: rank, extents and strides at random, negative ones too. Elements are small whole numbers.
typedef struct {
  descriptor d;
  addendum room;
  char memory[MOST];
} array;

static const struct {
  signed char type;
  size_t length;
} TYPES[] = {{REAL8, 8}, {REAL4, 4}, {INT32, 4}, {COMPLEX8, 16}, {INT64, 8}, {LOGICAL32, 4}, {REAL10, 16}, {INT8, 1}};

static void put(char *at, signed char type) {
  int number = (int)below(19) - 9;
  switch (type) {
  case REAL8:
    *(double *)at = number;
    return;
  case REAL4:
    *(float *)at = (float)number;
    return;
  case REAL10:
    memset(at, 0, 16);
    *(long double *)at = number;
    return;
  case COMPLEX8:
    ((double *)at)[0] = number;
    ((double *)at)[1] = (int)below(9);
    return;
  case INT64:
    *(int64_t *)at = number;
    return;
  case INT32:
    *(int32_t *)at = number;
    return;
  case LOGICAL32:
    *(int32_t *)at = number > 0;
    return;
  default:
    *at = (char)number;
  }
}

// Makes an array of these extents, which are chosen where there are none.
static void make(array *a, int kind, int rank, const ptrdiff_t *extents) {
  memset(&a->d, 0, sizeof a->d);
  size_t length = TYPES[kind].length;
  establish(&a->d, TYPES[kind].type, length, rank, PLAIN);
  ptrdiff_t stride = (ptrdiff_t)length, first = 0;
  for (int d = 0; d < rank; d++) {
    ptrdiff_t extent = extents ? extents[d] : (ptrdiff_t)below(5) + (below(9) > 0);
    ptrdiff_t step = stride * (1 + (ptrdiff_t)below(2));
    bool is_backward = below(4) == 0;
    a->d.dim[d].lower = (ptrdiff_t)below(5) - 2;
    a->d.dim[d].extent = extent;
    a->d.dim[d].stride = is_backward ? -step : step;
    if (is_backward && extent > 0)
      first += (extent - 1) * step;
    stride = step * (extent > 0 ? extent : 1);
  }
  if (stride > MOST)
    abort();
  for (size_t i = 0; i + length <= MOST; i += length)
    put(a->memory + i, a->d.type);
  a->d.base = a->memory + first;
}

static void copy(array *to, const array *from) {
  *to = *from;
  to->d.base = to->memory + (from->d.base - from->memory);
}

// The library ends a product at the first zero, whose sign is then another.
static bool is_same_element(const char *p, const char *q, signed char type, size_t length) {
  switch (type) {
  case REAL8: {
    double a = *(const double *)p, b = *(const double *)q;
    return a == b || (a != a && b != b);
  }
  case REAL4:
    return *(const float *)p == *(const float *)q;
  case REAL10:
    return *(const long double *)p == *(const long double *)q;
  case COMPLEX8:
    return ((const double *)p)[0] == ((const double *)q)[0] && ((const double *)p)[1] == ((const double *)q)[1];
  default:
    return !memcmp(p, q, length);
  }
}

static bool same_elements(const descriptor *x, const descriptor *y) {
  if (x->rank != y->rank || x->type != y->type || x->length != y->length)
    return false;
  for (int d = 0; d < x->rank; d++)
    if (x->dim[d].extent != y->dim[d].extent)
      return false;
  for (size_t k = 0, n = elements(x); k < n; k++)
    if (!is_same_element(x->base + element_offset(x, k), y->base + element_offset(y, k), x->type, x->length))
      return false;
  return true;
}
static bool same_bounds(const descriptor *x, const descriptor *y) {
  for (int d = 0; d < x->rank; d++)
    if (x->dim[d].lower != y->dim[d].lower || x->dim[d].stride != y->dim[d].stride)
      return false;
  return x->attribute == y->attribute && x->extra == y->extra && x->version == y->version;
}

// Two results, one of each, which must be the same; they are freed.
static bool agree(descriptor *x, descriptor *y) {
  bool is_same = same_elements(x, y) && same_bounds(x, y);
  free(x->base);
  free(y->base);
  return is_same;
}
static void clear(descriptor *x, int rank, signed char type, size_t length) {
  memset(x, 0, sizeof *x);
  establish(x, type, length, rank, ALLOCATABLE);
}

#define BOTH(result, name, parameters) result _FortranA##name parameters; result adcc_model__FortranA##name parameters;
BOTH(void, Assign, (descriptor *, const descriptor *, const char *, int))
BOTH(void, CopyInAssign, (descriptor *, const descriptor *, const char *, int))
BOTH(void, CopyOutAssign, (descriptor *, descriptor *, const char *, int))
BOTH(void, Spread, (descriptor *, const descriptor *, int, int64_t, const char *, int))
BOTH(void, Transpose, (descriptor *, const descriptor *, const char *, int))
BOTH(void, CshiftVector, (descriptor *, const descriptor *, int64_t, const char *, int))
BOTH(void, Cshift, (descriptor *, const descriptor *, const descriptor *, int, const char *, int))
BOTH(void, EoshiftVector, (descriptor *, const descriptor *, int64_t, const descriptor *, const char *, int))
BOTH(void, Eoshift, (descriptor *, const descriptor *, const descriptor *, const descriptor *, int, const char *, int))
BOTH(void, Pack, (descriptor *, const descriptor *, const descriptor *, const descriptor *, const char *, int))
BOTH(void, Unpack, (descriptor *, const descriptor *, const descriptor *, const descriptor *, const char *, int))
BOTH(void, Reshape, (descriptor *, const descriptor *, const descriptor *, const descriptor *, const descriptor *, const char *, int))
BOTH(void, SumDim, (descriptor *, const descriptor *, int, const char *, int, const descriptor *))
BOTH(void, ProductDim, (descriptor *, const descriptor *, int, const char *, int, const descriptor *))
BOTH(void, MaxvalDim, (descriptor *, const descriptor *, int, const char *, int, const descriptor *))
BOTH(void, MinvalDim, (descriptor *, const descriptor *, int, const char *, int, const descriptor *))
BOTH(double, SumReal8, (const descriptor *, const char *, int, int, const descriptor *))
BOTH(double, ProductReal8, (const descriptor *, const char *, int, int, const descriptor *))
BOTH(double, MaxvalReal8, (const descriptor *, const char *, int, int, const descriptor *))
BOTH(double, MinvalReal8, (const descriptor *, const char *, int, int, const descriptor *))
BOTH(double, Norm2_8, (const descriptor *, const char *, int, int))
BOTH(double, DotProductReal8, (const descriptor *, const descriptor *, const char *, int))
BOTH(void, CppDotProductComplex8, (double *, const descriptor *, const descriptor *, const char *, int))
BOTH(void, CppSumComplex8, (double *, const descriptor *, const char *, int, int, const descriptor *))
BOTH(void, CppProductComplex8, (double *, const descriptor *, const char *, int, int, const descriptor *))
BOTH(void, MaxlocReal8, (descriptor *, const descriptor *, int, const char *, int, const descriptor *, bool))
BOTH(void, MinlocReal8, (descriptor *, const descriptor *, int, const char *, int, const descriptor *, bool))
BOTH(void, MatmulReal8Real8, (descriptor *, const descriptor *, const descriptor *, const char *, int))
BOTH(void, MatmulTransposeReal8Real8, (descriptor *, const descriptor *, const descriptor *, const char *, int))
BOTH(void, MatmulComplex8Complex8, (descriptor *, const descriptor *, const descriptor *, const char *, int))
BOTH(bool, IsContiguous, (const descriptor *))
BOTH(int64_t, Count, (const descriptor *, const char *, int, int))
BOTH(int, AllocatableAllocate, (descriptor *, int64_t *, bool, const descriptor *, const char *, int, void *))
BOTH(int, AllocatableDeallocate, (descriptor *, bool, const descriptor *, const char *, int))
BOTH(int, PointerAllocate, (descriptor *, bool, const descriptor *, const char *, int, void *))
BOTH(int, PointerDeallocate, (descriptor *, bool, const descriptor *, const char *, int))
BOTH(int32_t, MoveAlloc, (descriptor *, descriptor *, const derived_type *, bool, const descriptor *, const char *, int))
BOTH(void, AllocatableSetBounds, (descriptor *, int, ptrdiff_t, ptrdiff_t))
BOTH(bool, PointerIsAssociatedWith, (const descriptor *, const descriptor *))
BOTH(void, InitArrayConstructorVector, (void *, descriptor *, bool, const char *, int))
BOTH(void, PushArrayConstructorValue, (void *, const descriptor *))
BOTH(int, CharacterCompareScalar1, (const char *, const char *, size_t, size_t))
BOTH(size_t, LenTrim1, (const char *, size_t))
BOTH(size_t, Index1, (const char *, size_t, const char *, size_t, bool))
BOTH(size_t, Scan1, (const char *, size_t, const char *, size_t, bool))
BOTH(size_t, Verify1, (const char *, size_t, const char *, size_t, bool))
BOTH(int, CharacterCompareScalar2, (const uint16_t *, const uint16_t *, size_t, size_t))
BOTH(size_t, LenTrim2, (const uint16_t *, size_t))
BOTH(size_t, Index2, (const uint16_t *, size_t, const uint16_t *, size_t, bool))
BOTH(size_t, Scan2, (const uint16_t *, size_t, const uint16_t *, size_t, bool))
BOTH(size_t, Verify2, (const uint16_t *, size_t, const uint16_t *, size_t, bool))
BOTH(int, CharacterCompareScalar4, (const uint32_t *, const uint32_t *, size_t, size_t))
BOTH(size_t, LenTrim4, (const uint32_t *, size_t))
BOTH(size_t, Index4, (const uint32_t *, size_t, const uint32_t *, size_t, bool))
BOTH(size_t, Scan4, (const uint32_t *, size_t, const uint32_t *, size_t, bool))
BOTH(size_t, Verify4, (const uint32_t *, size_t, const uint32_t *, size_t, bool))
BOTH(size_t, CharacterAppend1, (char *, size_t, size_t, const char *, size_t))
BOTH(void, CharacterPad1, (char *, size_t, size_t))
BOTH(void, Trim, (descriptor *, const descriptor *, const char *, int))
BOTH(void, Adjustl, (descriptor *, const descriptor *, const char *, int))
BOTH(void, Adjustr, (descriptor *, const descriptor *, const char *, int))
BOTH(void, Repeat, (descriptor *, const descriptor *, int64_t, const char *, int))

#define LIBRARY(name) _FortranA##name
#define MODELLED(name) adcc_model__FortranA##name
// Calls both, with results of this rank and type, and expects the same.
#define SAME(name, rank, type, length, ...)                                                                                            \
  do {                                                                                                                                 \
    clear(&r, rank, type, length);                                                                                                     \
    clear(&s, rank, type, length);                                                                                                     \
    LIBRARY(name)(&r, __VA_ARGS__);                                                                                                    \
    MODELLED(name)(&s, __VA_ARGS__);                                                                                                   \
    EXPECT(agree(&r, &s) && #name[0]);                                                                                                 \
  } while (0)

static array x, y, z, mask, other, integers;
static descriptor r, s;

static void assignments(void) {
  int kind = (int)below(8), rank = (int)below(4);
  make(&x, kind, rank, 0);
  ptrdiff_t extents[15];
  for (int d = 0; d < rank; d++)
    extents[d] = x.d.dim[d].extent;
  // To a variable.
  make(&y, kind, rank, extents);
  copy(&z, &y);
  LIBRARY(Assign)(&y.d, &x.d, __FILE__, __LINE__);
  MODELLED(Assign)(&z.d, &x.d, __FILE__, __LINE__);
  EXPECT(!memcmp(y.memory, z.memory, MOST) || y.d.type == REAL10);
  EXPECT(same_elements(&y.d, &z.d) && same_elements(&y.d, &x.d));
  // To an allocatable, which has this shape, another one, or none.
  clear(&r, rank, TYPES[kind].type, TYPES[kind].length);
  for (int d = 0; d < rank; d++)
    LIBRARY(AllocatableSetBounds)(&r, d, -1, (ptrdiff_t)below(4));
  s = r;
  if (below(2)) {
    EXPECT(LIBRARY(AllocatableAllocate)(&r, 0, false, 0, __FILE__, __LINE__, (void *)memcpy) == 0);
    EXPECT(MODELLED(AllocatableAllocate)(&s, 0, false, 0, __FILE__, __LINE__, 0) == 0);
    EXPECT(same_bounds(&r, &s));
    EXPECT(LIBRARY(AllocatableAllocate)(&r, 0, true, 0, __FILE__, __LINE__, (void *)memcpy) ==
           MODELLED(AllocatableAllocate)(&s, 0, true, 0, __FILE__, __LINE__, 0));
  }
  LIBRARY(Assign)(&r, &x.d, __FILE__, __LINE__);
  MODELLED(Assign)(&s, &x.d, __FILE__, __LINE__);
  EXPECT(same_elements(&r, &s) && same_bounds(&r, &s));
  descriptor t = r, u = s;
  clear(&t, rank, TYPES[kind].type, TYPES[kind].length);
  u = t;
  EXPECT(LIBRARY(MoveAlloc)(&t, &r, 0, false, 0, __FILE__, __LINE__) == MODELLED(MoveAlloc)(&u, &s, 0, false, 0, __FILE__, __LINE__));
  EXPECT(!r.base && !s.base && same_elements(&t, &u) && same_bounds(&t, &u));
  EXPECT(LIBRARY(AllocatableDeallocate)(&t, true, 0, __FILE__, __LINE__) == MODELLED(AllocatableDeallocate)(&u, true, 0, __FILE__, __LINE__));
  EXPECT(LIBRARY(AllocatableDeallocate)(&t, true, 0, __FILE__, __LINE__) == MODELLED(AllocatableDeallocate)(&u, true, 0, __FILE__, __LINE__));
  // A copy for a call, and back.
  LIBRARY(CopyInAssign)(&r, &x.d, __FILE__, __LINE__);
  memset(&s, 0, sizeof s);
  MODELLED(CopyInAssign)(&s, &x.d, __FILE__, __LINE__);
  EXPECT(same_elements(&r, &s));
  copy(&y, &x);
  copy(&z, &x);
  LIBRARY(CopyOutAssign)(&y.d, &r, __FILE__, __LINE__);
  MODELLED(CopyOutAssign)(&z.d, &s, __FILE__, __LINE__);
  EXPECT(same_elements(&y.d, &z.d) && !r.base && !s.base);
  EXPECT(LIBRARY(IsContiguous)(&x.d) == MODELLED(IsContiguous)(&x.d));
  // What overlaps.
  make(&x, kind, 1, (ptrdiff_t[]){6});
  copy(&y, &x);
  descriptor left = x.d, right = x.d;
  left.dim[0].extent = right.dim[0].extent = 3;
  left.base += (ptrdiff_t)below(4) * x.d.dim[0].stride;
  right.base += (ptrdiff_t)below(3) * x.d.dim[0].stride;
  if (below(2)) {
    right.base = x.d.base + 2 * x.d.dim[0].stride;
    right.dim[0].stride = -x.d.dim[0].stride;
  }
  descriptor left_too = left, right_too = right;
  left_too.base = y.d.base + (left.base - x.d.base);
  right_too.base = y.d.base + (right.base - x.d.base);
  LIBRARY(Assign)(&left, &right, __FILE__, __LINE__);
  MODELLED(Assign)(&left_too, &right_too, __FILE__, __LINE__);
  EXPECT(same_elements(&x.d, &y.d));
}

static void pointers(void) {
  int kind = (int)below(8), rank = (int)below(4);
  memset(&r, 0, sizeof r);
  establish(&r, TYPES[kind].type, TYPES[kind].length, rank, POINTER);
  for (int d = 0; d < rank; d++)
    LIBRARY(AllocatableSetBounds)(&r, d, 2, 2 + (ptrdiff_t)below(4));
  s = r;
  // Either frees what the other has allocated.
  EXPECT(!LIBRARY(PointerAllocate)(&r, false, 0, __FILE__, __LINE__, (void *)memcpy));
  EXPECT(!MODELLED(PointerAllocate)(&s, false, 0, __FILE__, __LINE__, 0) && same_bounds(&r, &s));
  EXPECT(LIBRARY(PointerIsAssociatedWith)(&r, &s) == MODELLED(PointerIsAssociatedWith)(&r, &s));
  EXPECT(LIBRARY(PointerIsAssociatedWith)(&r, &r) == MODELLED(PointerIsAssociatedWith)(&r, &r));
  EXPECT(!LIBRARY(PointerDeallocate)(&s, true, 0, __FILE__, __LINE__));
  EXPECT(!MODELLED(PointerDeallocate)(&r, true, 0, __FILE__, __LINE__));
  make(&x, kind, 1, (ptrdiff_t[]){4});
  r = s = x.d;
  r.attribute = s.attribute = POINTER;
  EXPECT(LIBRARY(PointerDeallocate)(&r, true, 0, __FILE__, __LINE__) == MODELLED(PointerDeallocate)(&s, true, 0, __FILE__, __LINE__));
}

static void constructors(void) {
  int kind = (int)below(8);
  char one[80], two[80];
  clear(&r, 1, TYPES[kind].type, TYPES[kind].length);
  r.dim[0].lower = 1;
  r.dim[0].stride = (ptrdiff_t)r.length;
  s = r;
  // Where the length is known before, there is memory for it.
  if (below(2)) {
    r.dim[0].extent = s.dim[0].extent = 4 * 25;
    r.base = calloc(100, r.length);
    s.base = calloc(100, s.length);
  }
  LIBRARY(InitArrayConstructorVector)(one, &r, false, __FILE__, __LINE__);
  MODELLED(InitArrayConstructorVector)(two, &s, false, __FILE__, __LINE__);
  for (unsigned i = 0; i < 4; i++) {
    make(&x, kind, (int)below(3), 0);
    LIBRARY(PushArrayConstructorValue)(one, &x.d);
    MODELLED(PushArrayConstructorValue)(two, &x.d);
  }
  EXPECT(r.dim[0].extent == s.dim[0].extent && same_elements(&r, &s));
  free(r.base);
  free(s.base);
}

static void transformations(void) {
  int kind = (int)below(8), rank = 2 + (int)below(2);
  signed char type = TYPES[kind].type;
  size_t length = TYPES[kind].length;
  make(&x, kind, rank, 0);
  ptrdiff_t extents[15];
  for (int d = 0; d < rank; d++)
    extents[d] = x.d.dim[d].extent;
  int place = 1 + (int)below((unsigned)rank + 1);
  int64_t copies = (int64_t)below(5) - 1;
  SAME(Spread, rank + 1, type, length, &x.d, place, copies, __FILE__, __LINE__);
  int dim = 1 + (int)below((unsigned)rank);
  ptrdiff_t rest[15];
  for (int d = 0; d < rank - 1; d++)
    rest[d] = extents[d < dim - 1 ? d : d + 1];
  make(&integers, below(2) ? 2 : 4, below(2) ? 0 : rank - 1, rest);
  SAME(Cshift, rank, type, length, &x.d, &integers.d, dim, __FILE__, __LINE__);
  make(&other, kind, below(2) ? 0 : rank - 1, rest);
  const descriptor *edge = below(2) ? &other.d : 0;
  SAME(Eoshift, rank, type, length, &x.d, &integers.d, edge, dim, __FILE__, __LINE__);
  make(&mask, 5, rank, extents);
  SAME(Pack, 1, type, length, &x.d, &mask.d, 0, __FILE__, __LINE__);
  make(&y, kind, 1, (ptrdiff_t[]){125});
  SAME(Pack, 1, type, length, &x.d, &mask.d, &y.d, __FILE__, __LINE__);
  make(&other, kind, below(2) ? 0 : rank, extents);
  SAME(Unpack, rank, type, length, &y.d, &mask.d, &other.d, __FILE__, __LINE__);
  make(&integers, below(2) ? 2 : 4, 1, (ptrdiff_t[]){2});
  for (ptrdiff_t i = 0; i < 2; i++) {
    char *at = integers.d.base + i * integers.d.dim[0].stride;
    memset(at, 0, integers.d.length);
    *at = (char)(below(5) + 1);
  }
  make(&y, kind, 1, (ptrdiff_t[]){2});
  make(&other, 2, 1, (ptrdiff_t[]){2});
  int first = 1 + (int)below(2);
  *(int32_t *)other.d.base = first;
  *(int32_t *)(other.d.base + other.d.dim[0].stride) = 3 - first;
  SAME(Reshape, 2, type, length, &x.d, &integers.d, &y.d, 0, __FILE__, __LINE__);
  SAME(Reshape, 2, type, length, &x.d, &integers.d, &y.d, &other.d, __FILE__, __LINE__);
  make(&x, kind, 2, 0);
  SAME(Transpose, 2, type, length, &x.d, __FILE__, __LINE__);
  make(&x, kind, 1, 0);
  make(&other, kind, 0, 0);
  int64_t by = (int64_t)below(9) - 4;
  SAME(CshiftVector, 1, type, length, &x.d, by, __FILE__, __LINE__);
  edge = below(2) ? &other.d : 0;
  SAME(EoshiftVector, 1, type, length, &x.d, by, edge, __FILE__, __LINE__);
}

static bool near(double p, double q) { return p == q || fabs(p - q) <= 1e-14 * fmin(fabs(p), fabs(q)); }

// Infinities and NaNs, also nothing else.
static void extremes(void) {
  static const double VALUES[] = {__builtin_inf(), -__builtin_inf(), __builtin_nan(""), 2, -3};
  int rank = 1 + (int)below(2), least = (int)below(5), count = 1 + (int)below((unsigned)(5 - least));
  make(&x, 0, rank, 0);
  for (size_t k = 0; k < elements(&x.d); k++)
    *(double *)(x.d.base + element_offset(&x.d, k)) = VALUES[least + (int)below((unsigned)count)];
  int dim = 1 + (int)below((unsigned)rank);
#define EXTREME(name)                                                                                                                  \
  do {                                                                                                                                 \
    double p = LIBRARY(name##Real8)(&x.d, __FILE__, __LINE__, 0, 0), q = MODELLED(name##Real8)(&x.d, __FILE__, __LINE__, 0, 0);        \
    EXPECT(p == q || (p != p && q != q));                                                                                              \
    SAME(name##Dim, rank - 1, REAL8, 8, &x.d, dim, __FILE__, __LINE__, 0);                                                             \
  } while (0)
  EXTREME(Maxval);
  EXTREME(Minval);
  bool back = below(2);
  SAME(MaxlocReal8, 1, INT32, 4, &x.d, 4, __FILE__, __LINE__, 0, back);
  SAME(MinlocReal8, 1, INT32, 4, &x.d, 4, __FILE__, __LINE__, 0, back);
}

static void reductions(void) {
  int rank = 1 + (int)below(3);
  make(&x, 0, rank, 0);
  ptrdiff_t extents[15];
  for (int d = 0; d < rank; d++)
    extents[d] = x.d.dim[d].extent;
  make(&mask, 5, below(4) ? rank : 0, extents);
  const descriptor *m = below(2) ? &mask.d : 0;
#define NUMBERS(name) EXPECT(near(LIBRARY(name)(&x.d, __FILE__, __LINE__, 0, m), MODELLED(name)(&x.d, __FILE__, __LINE__, 0, m)))
  NUMBERS(SumReal8);
  NUMBERS(ProductReal8);
  NUMBERS(MaxvalReal8);
  NUMBERS(MinvalReal8);
  EXPECT(near(LIBRARY(Norm2_8)(&x.d, __FILE__, __LINE__, 0), MODELLED(Norm2_8)(&x.d, __FILE__, __LINE__, 0)));
  EXPECT(LIBRARY(Count)(&mask.d, __FILE__, __LINE__, 0) == MODELLED(Count)(&mask.d, __FILE__, __LINE__, 0));
  bool back = below(2);
  SAME(MaxlocReal8, 1, INT32, 4, &x.d, 4, __FILE__, __LINE__, m, back);
  SAME(MinlocReal8, 1, INT64, 8, &x.d, 8, __FILE__, __LINE__, m, back);
  static const int KINDS[] = {0, 1, 2, 4, 6};
  int kind = KINDS[below(5)], dim = 1 + (int)below((unsigned)rank);
  make(&y, kind, rank, extents);
  signed char type = TYPES[kind].type;
  size_t length = TYPES[kind].length;
  SAME(SumDim, rank - 1, type, length, &y.d, dim, __FILE__, __LINE__, m);
  SAME(ProductDim, rank - 1, type, length, &y.d, dim, __FILE__, __LINE__, m);
  SAME(MaxvalDim, rank - 1, type, length, &y.d, dim, __FILE__, __LINE__, m);
  SAME(MinvalDim, rank - 1, type, length, &y.d, dim, __FILE__, __LINE__, m);
  make(&y, 3, rank, extents);
  double p[2], q[2];
#define PAIRS(name)                                                                                                                    \
  LIBRARY(name)(p, &y.d, __FILE__, __LINE__, 0, m);                                                                                    \
  MODELLED(name)(q, &y.d, __FILE__, __LINE__, 0, m);                                                                                   \
  EXPECT(near(p[0], q[0]) && near(p[1], q[1]))
  PAIRS(CppSumComplex8);
  PAIRS(CppProductComplex8);
}

static void products(void) {
  ptrdiff_t n = below(4) + 1, k = below(4), m = below(4) + 1;
  int left = 1 + (int)below(2), right = left == 1 ? 2 : 1 + (int)below(2);
  make(&x, 0, left, left == 2 ? (ptrdiff_t[]){n, k} : (ptrdiff_t[]){k});
  make(&y, 0, right, right == 2 ? (ptrdiff_t[]){k, m} : (ptrdiff_t[]){k});
  SAME(MatmulReal8Real8, left + right - 2, REAL8, 8, &x.d, &y.d, __FILE__, __LINE__);
  make(&x, 3, left, left == 2 ? (ptrdiff_t[]){n, k} : (ptrdiff_t[]){k});
  make(&z, 3, right, right == 2 ? (ptrdiff_t[]){k, m} : (ptrdiff_t[]){k});
  SAME(MatmulComplex8Complex8, left + right - 2, COMPLEX8, 16, &x.d, &z.d, __FILE__, __LINE__);
  make(&x, 0, 2, (ptrdiff_t[]){k, n});
  SAME(MatmulTransposeReal8Real8, right, REAL8, 8, &x.d, &y.d, __FILE__, __LINE__);
  make(&x, 0, 1, (ptrdiff_t[]){k});
  make(&y, 0, 1, (ptrdiff_t[]){k});
  EXPECT(LIBRARY(DotProductReal8)(&x.d, &y.d, __FILE__, __LINE__) == MODELLED(DotProductReal8)(&x.d, &y.d, __FILE__, __LINE__));
  make(&x, 3, 1, (ptrdiff_t[]){k});
  make(&y, 3, 1, (ptrdiff_t[]){k});
  double p[2], q[2];
  LIBRARY(CppDotProductComplex8)(p, &x.d, &y.d, __FILE__, __LINE__);
  MODELLED(CppDotProductComplex8)(q, &x.d, &y.d, __FILE__, __LINE__);
  EXPECT(p[0] == q[0] && p[1] == q[1]);
}

// Texts of three letters and blanks: equal parts and ends of blanks are frequent.
static void texts(void) {
#define TEXTS(kind, character)                                                                                                         \
  do {                                                                                                                                 \
    character a[8], b[8];                                                                                                              \
    size_t n = below(9), m = below(5);                                                                                                 \
    for (size_t i = 0; i < 8; ++i) {                                                                                                   \
      a[i] = (character) "ab \xe9"[below(4)];                                                                                          \
      b[i] = (character) "ab \xe9"[below(4)];                                                                                          \
    }                                                                                                                                  \
    EXPECT(LIBRARY(CharacterCompareScalar##kind)(a, b, n, m) == MODELLED(CharacterCompareScalar##kind)(a, b, n, m));                   \
    EXPECT(LIBRARY(CharacterCompareScalar##kind)(b, a, m, n) == MODELLED(CharacterCompareScalar##kind)(b, a, m, n));                   \
    EXPECT(LIBRARY(LenTrim##kind)(a, n) == MODELLED(LenTrim##kind)(a, n));                                                             \
    for (int back = 0; back < 2; ++back) {                                                                                             \
      EXPECT(LIBRARY(Index##kind)(a, n, b, m, back) == MODELLED(Index##kind)(a, n, b, m, back));                                       \
      EXPECT(LIBRARY(Scan##kind)(a, n, b, m, back) == MODELLED(Scan##kind)(a, n, b, m, back));                                         \
      EXPECT(LIBRARY(Verify##kind)(a, n, b, m, back) == MODELLED(Verify##kind)(a, n, b, m, back));                                     \
    }                                                                                                                                  \
  } while (0)
  TEXTS(1, char);
  TEXTS(2, uint16_t);
  TEXTS(4, uint32_t);
  char text[6];
  for (size_t i = 0; i < sizeof text; ++i)
    text[i] = " ab"[below(3)];
  descriptor x = {.base = text, .length = below(7), .version = VERSION, .type = CHARACTER1}, p, q;
#define SAME_TEXT(name, ...)                                                                                                           \
  do {                                                                                                                                 \
    LIBRARY(name)(&p, __VA_ARGS__);                                                                                                    \
    MODELLED(name)(&q, __VA_ARGS__);                                                                                                   \
    EXPECT(p.length == q.length && p.rank == q.rank && p.type == q.type && p.attribute == q.attribute);                                \
    EXPECT(!memcmp(p.base, q.base, p.length));                                                                                         \
    free(p.base);                                                                                                                      \
    free(q.base);                                                                                                                      \
  } while (0)
  SAME_TEXT(Trim, &x, __FILE__, __LINE__);
  SAME_TEXT(Adjustl, &x, __FILE__, __LINE__);
  SAME_TEXT(Adjustr, &x, __FILE__, __LINE__);
  int64_t copies = below(4);
  SAME_TEXT(Repeat, &x, copies, __FILE__, __LINE__);
  char a[12], b[12];
  size_t at = below(9), room = at + below(4);
  memset(a, '-', sizeof a);
  memset(b, '-', sizeof b);
  size_t length = below(5), end = LIBRARY(CharacterAppend1)(a, room, at, "text", length);
  EXPECT(MODELLED(CharacterAppend1)(b, room, at, "text", length) == end && !memcmp(a, b, sizeof a));
  LIBRARY(CharacterPad1)(a, room + 1, end);
  MODELLED(CharacterPad1)(b, room + 1, end);
  EXPECT(!memcmp(a, b, sizeof a));
}

int main(void) {
  for (turn = 0; turn < 1000; turn++) {
    assignments();
    pointers();
    constructors();
    transformations();
    reductions();
    extremes();
    products();
    texts();
  }
  puts("Fortran agrees");
}
