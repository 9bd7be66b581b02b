// Descriptors of flang's arrays, allocatables and pointers (ISO_Fortran_binding.h of LLVM 22), and how models walk over the elements.
//
// Most descriptors are variables of the caller, whose rank and type are constants there. Where they are, a model is a copy of its own
// (canon/models/fortran.rs): loops over dimensions are unrolled, and no member is reached through an index. Code that depends on the
// type asks first whether that is a constant. Where it is none, elements move as bytes of which nothing is known.
//
// Written from the headers that flang installs (include/flang/Runtime) and checked against the library (tests/models/fortran).

#ifndef ADCC_DESCRIPTOR_H
#define ADCC_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Beside the library in one program, models need names of their own.
#ifdef ADCC_BESIDE_LIBRARY
#define MODEL(symbol) adcc_model_##symbol
#define UNROLL
#else
#define MODEL(symbol) symbol
#define UNROLL _Pragma("clang loop unroll(full)")
#endif

#define INLINE static inline __attribute__((always_inline))
#define MOST_DIMENSIONS 15

typedef struct {
  ptrdiff_t lower, extent, stride;
} dimension;

typedef struct {
  char *base;
  size_t length; // of an element, in bytes
  int version;
  unsigned char rank;
  signed char type;
  unsigned char attribute, extra;
  dimension dim[MOST_DIMENSIONS];
} descriptor;

enum { VERSION = 20240719 };
enum { PLAIN, POINTER, ALLOCATABLE };
enum { HAS_ADDENDUM = 1 };
// Type codes.
enum {
  INT8 = 7,
  INT16,
  INT32,
  INT64,
  INT128,
  LOGICAL16 = 13,
  LOGICAL32,
  LOGICAL64,
  REAL2 = 25,
  REAL3,
  REAL4,
  REAL8,
  REAL10,
  REAL16 = 31,
  COMPLEX2,
  COMPLEX3,
  COMPLEX4,
  COMPLEX8,
  COMPLEX10,
  COMPLEX16 = 38,
  LOGICAL8,
  CHARACTER1,
  DERIVED = 42,
  CHARACTER2,
  CHARACTER4,
  UNSIGNED8,
  UNSIGNED16,
  UNSIGNED32,
  UNSIGNED64,
  UNSIGNED128,
};
// Categories of types.
enum category { INTEGER, UNSIGNED, REAL, COMPLEX, CHARACTER, LOGICAL, DERIVED_TYPE };

// What the compiler says of a derived type.
typedef struct derived_type derived_type;

// Behind the dimensions, where `extra` says so.
typedef struct {
  const derived_type *type;
  int64_t length[1];
} addendum;

_Noreturn void _FortranAReportFatalUserError(const char *message, const char *file, int line);
void *malloc(size_t);
void free(void *);

// For each dimension d of `rank`.
#define EACH(d, rank) UNROLL for (int d = 0; d < (rank); d++)

INLINE addendum *addendum_of(const descriptor *x) {
  return x->extra & HAS_ADDENDUM ? (addendum *)((char *)x + offsetof(descriptor, dim) + x->rank * sizeof(dimension)) : 0;
}
INLINE addendum *addendum_at(const descriptor *x, int rank) {
  return (addendum *)((char *)x + offsetof(descriptor, dim) + (size_t)rank * sizeof(dimension));
}

// How many bytes an element has.
INLINE size_t bytes_of(enum category category, int kind) {
  size_t bytes = category == REAL || category == COMPLEX ? (kind == 3 ? 2 : kind == 10 ? 16 : kind) : (size_t)kind;
  return category == COMPLEX ? 2 * bytes : bytes;
}

INLINE signed char code_of(enum category category, int kind) {
  switch (category) {
  case INTEGER:
    return kind == 1 ? INT8 : kind == 2 ? INT16 : kind == 4 ? INT32 : kind == 8 ? INT64 : INT128;
  case UNSIGNED:
    return kind == 1 ? UNSIGNED8 : kind == 2 ? UNSIGNED16 : kind == 4 ? UNSIGNED32 : kind == 8 ? UNSIGNED64 : UNSIGNED128;
  case REAL:
    return kind == 2 ? REAL2 : kind == 3 ? REAL3 : kind == 4 ? REAL4 : kind == 8 ? REAL8 : kind == 10 ? REAL10 : REAL16;
  case COMPLEX:
    return kind == 2   ? COMPLEX2
           : kind == 3 ? COMPLEX3
           : kind == 4 ? COMPLEX4
           : kind == 8 ? COMPLEX8
           : kind == 10 ? COMPLEX10
                        : COMPLEX16;
  case CHARACTER:
    return kind == 1 ? CHARACTER1 : kind == 2 ? CHARACTER2 : CHARACTER4;
  case LOGICAL:
    return kind == 1 ? LOGICAL8 : kind == 2 ? LOGICAL16 : kind == 4 ? LOGICAL32 : LOGICAL64;
  default:
    return DERIVED;
  }
}

INLINE bool is_character(int type) { return type == CHARACTER1 || type == CHARACTER2 || type == CHARACTER4; }

// How many elements it has.
INLINE size_t elements(const descriptor *x) {
  size_t n = 1;
  EACH(d, x->rank) n *= (size_t)x->dim[d].extent;
  return n;
}

// An integer of so many bytes.
INLINE int64_t integer_of(const char *at, size_t length) {
  switch (length) {
  case 1:
    return *(const int8_t *)at;
  case 2:
    return *(const int16_t *)at;
  case 4:
    return *(const int32_t *)at;
  default:
    return *(const int64_t *)at;
  }
}

// Sets the strides of a contiguous array.
INLINE void make_contiguous(descriptor *x) {
  size_t stride = x->length;
  EACH(d, x->rank) {
    x->dim[d].stride = (ptrdiff_t)stride;
    stride *= (size_t)x->dim[d].extent;
  }
}

// Makes x a descriptor of nothing. An addendum stays as it is.
INLINE void establish(descriptor *x, signed char type, size_t length, int rank, unsigned char attribute) {
  x->base = 0;
  x->length = length;
  x->version = VERSION;
  x->rank = (unsigned char)rank;
  x->type = type;
  x->attribute = attribute;
  x->extra = 0;
}

// Columns are the elements along the first dimension. How many there are.
INLINE size_t columns(const descriptor *x) {
  size_t n = 1;
  UNROLL
  for (int d = 1; d < x->rank; d++) {
    n *= (size_t)x->dim[d].extent;
  }
  return n;
}

// How many elements are in one, and how far each is from the next.
INLINE size_t column_length(const descriptor *x) { return x->rank > 0 ? (size_t)x->dim[0].extent : 1; }
INLINE ptrdiff_t column_stride(const descriptor *x) { return x->rank > 0 ? x->dim[0].stride : 0; }

// Where column k begins.
INLINE ptrdiff_t column_offset(const descriptor *x, size_t k) {
  ptrdiff_t offset = 0;
  UNROLL
  for (int d = 1; d < x->rank; d++) {
    // The last index takes what is left: no division where there are two.
    if (d == x->rank - 1) {
      offset += (ptrdiff_t)k * x->dim[d].stride;
      break;
    }
    size_t extent = (size_t)x->dim[d].extent;
    offset += (ptrdiff_t)(k % extent) * x->dim[d].stride;
    k /= extent;
  }
  return offset;
}

// Where element k is, in the order of Fortran.
INLINE ptrdiff_t element_offset(const descriptor *x, size_t k) {
  if (x->rank == 0)
    return 0;
  if (x->rank == 1)
    return (ptrdiff_t)k * x->dim[0].stride;
  size_t extent = (size_t)x->dim[0].extent;
  return (ptrdiff_t)(k % extent) * x->dim[0].stride + column_offset(x, k / extent);
}

// Characters, cut or filled with blanks. Whole runs are copied: memory of which nothing is known may as well hold reals, even where the
// type says that these are characters.
static __attribute__((noinline, unused)) void move_text(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride, size_t n,
                                                size_t to_length, size_t from_length, int width) {
  size_t both = to_length < from_length ? to_length : from_length;
  for (size_t i = 0; i < n; i++) {
    char *at = to + (ptrdiff_t)i * to_stride;
    __builtin_memcpy(at, from + (ptrdiff_t)i * from_stride, both);
    if (both == to_length)
      continue;
    __builtin_memset(at + both, width == 1 ? ' ' : 0, to_length - both);
    if (width == 2)
      for (size_t k = both; k < to_length; k += 2)
        *(uint16_t *)(at + k) = ' ';
    if (width == 4)
      for (size_t k = both; k < to_length; k += 4)
        *(uint32_t *)(at + k) = ' ';
  }
}

INLINE int width_of(int type) { return type == CHARACTER1 ? 1 : type == CHARACTER2 ? 2 : 4; }

#define MOVE_AS(T) *(T *)to = *(const T *)from
#define MOVE_BYTES(n) __builtin_memcpy(to, from, n)

// For each i below n, with `to` and `from` as the loop says.
#define ALONG(move)                                                                                                                    \
  for (size_t i = 0; i < n; i++) {                                                                                                     \
    char *to = to_base + (ptrdiff_t)i * to_stride;                                                                                     \
    const char *from = from_base + (ptrdiff_t)i * from_stride;                                                                         \
    move;                                                                                                                              \
  }

#define MOVE_PAIR(T) (*(T *)to = *(const T *)from, ((T *)to)[1] = ((const T *)from)[1])

// Moves n elements.
INLINE void move_along(char *to_base, ptrdiff_t to_stride, const char *from_base, ptrdiff_t from_stride, size_t n, int type,
                       size_t length) {
  if (__builtin_constant_p(type))
    switch (type) {
    case REAL8:
      ALONG(MOVE_AS(double)) return;
    case REAL4:
      ALONG(MOVE_AS(float)) return;
    case REAL10:
      ALONG(MOVE_AS(long double)) return;
    case INT32:
    case LOGICAL32:
    case UNSIGNED32:
      ALONG(MOVE_AS(int32_t)) return;
    case INT64:
    case LOGICAL64:
    case UNSIGNED64:
      ALONG(MOVE_AS(int64_t)) return;
    case COMPLEX8:
      ALONG(MOVE_PAIR(double)) return;
    case COMPLEX4:
      ALONG(MOVE_PAIR(float)) return;
    case COMPLEX10:
      ALONG(MOVE_PAIR(long double)) return;
    default:
      break;
    }
  if (!__builtin_constant_p(length)) {
    if (to_stride == (ptrdiff_t)length && from_stride == (ptrdiff_t)length)
      __builtin_memcpy(to_base, from_base, n * length);
    else
      ALONG(MOVE_BYTES(length))
    return;
  }
  switch (length) {
  case 8:
    ALONG(MOVE_BYTES(8)) return;
  case 4:
    ALONG(MOVE_BYTES(4)) return;
  case 16:
    ALONG(MOVE_BYTES(16)) return;
  case 1:
    ALONG(MOVE_BYTES(1)) return;
  default:
    ALONG(MOVE_BYTES(length)) return;
  }
}

// Moves all elements; `from` has as many, or is one for all.
INLINE void move_all(char *to_base, const descriptor *to, const char *from_base, const descriptor *from, int type, size_t length) {
  bool is_one = from->rank == 0;
  size_t n = column_length(to), many = columns(to);
  ptrdiff_t to_stride = column_stride(to), from_stride = is_one ? 0 : column_stride(from);
  for (size_t k = 0; k < many; k++)
    move_along(to_base + column_offset(to, k), to_stride, from_base + (is_one ? 0 : column_offset(from, k)), from_stride, n, type, length);
}

// The same into contiguous memory.
INLINE void gather(char *to_base, const char *from_base, const descriptor *from, int type, size_t length) {
  size_t n = column_length(from), many = columns(from);
  ptrdiff_t from_stride = column_stride(from);
  for (size_t k = 0; k < many; k++)
    move_along(to_base + k * n * length, (ptrdiff_t)length, from_base + column_offset(from, k), from_stride, n, type, length);
}

// And from there.
INLINE void scatter(char *to_base, const descriptor *to, const char *from_base, int type, size_t length) {
  size_t n = column_length(to), many = columns(to);
  ptrdiff_t to_stride = column_stride(to);
  for (size_t k = 0; k < many; k++)
    move_along(to_base + column_offset(to, k), to_stride, from_base + k * n * length, (ptrdiff_t)length, n, type, length);
}

#endif
