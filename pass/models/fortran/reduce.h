// Loops over the elements of an array, or of its lines along one dimension, under a mask.

#ifndef ADCC_REDUCE_H
#define ADCC_REDUCE_H

#include "descriptor.h"

INLINE bool is_true(const char *at, size_t length) { return integer_of(at, length) != 0; }

// Lines are the elements along one dimension, `along`. How many there are, and where one begins.
INLINE size_t lines(const descriptor *x, int along) {
  size_t n = 1;
  EACH(d, x->rank) {
    if (d != along)
      n *= (size_t)x->dim[d].extent;
  }
  return n;
}
INLINE ptrdiff_t line_offset(const descriptor *x, int along, size_t k) {
  ptrdiff_t offset = 0;
  EACH(d, x->rank) {
    if (d != along) {
      size_t extent = (size_t)x->dim[d].extent;
      offset += (ptrdiff_t)(k % extent) * x->dim[d].stride;
      k /= extent;
    }
  }
  return offset;
}

// Does `what` for each element that the mask lets through, whose place is `at`.
#define OVER(base, stride, asked, asked_stride, n, ...)                                                                                \
  for (size_t i = 0; i < (n); i++)                                                                                                     \
    if (!(asked) || is_true((asked) + (ptrdiff_t)i * (asked_stride), mask->length)) {                                                  \
      const char *at = (base) + (ptrdiff_t)i * (stride);                                                                               \
      __VA_ARGS__;                                                                                                                     \
    }

// The same for all elements of x, column by column. A mask that is one value is true, or nothing is done.
#define OVER_ALL(...)                                                                                                                  \
  do {                                                                                                                                 \
    bool is_array = mask && mask->rank > 0;                                                                                            \
    if (mask && !is_array && !is_true(mask->base, mask->length))                                                                       \
      break;                                                                                                                           \
    size_t n = column_length(x), many = columns(x);                                                                                    \
    ptrdiff_t stride = column_stride(x), asked_stride = is_array ? column_stride(mask) : 0;                                            \
    for (size_t k = 0; k < many; k++) {                                                                                                \
      const char *base = x->base + column_offset(x, k), *asked = is_array ? mask->base + column_offset(mask, k) : 0;                   \
      OVER(base, stride, asked, asked_stride, n, __VA_ARGS__)                                                                          \
    }                                                                                                                                  \
  } while (0)

// Makes r a result of this type, with the shape of x but for one dimension.
INLINE void begin_partial(descriptor *r, const descriptor *x, int along, signed char type, size_t length, const char *file, int line) {
  establish(r, type, length, x->rank - 1, ALLOCATABLE);
  EACH(d, x->rank - 1) {
    r->dim[d].lower = 1;
    r->dim[d].extent = x->dim[d < along ? d : d + 1].extent;
  }
  make_contiguous(r);
  size_t bytes = elements(r) * length;
  char *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    _FortranAReportFatalUserError("no memory for the result of a reduction", file, line);
  r->base = memory;
}

// For each line: `before`, `what` for its elements, `after`, with `to` where the result goes.
#define OVER_LINES(before, what, after)                                                                                                \
  do {                                                                                                                                 \
    bool is_array = mask && mask->rank > 0, is_empty = mask && !is_array && !is_true(mask->base, mask->length);                        \
    size_t n = is_empty ? 0 : (size_t)x->dim[along].extent, many = lines(x, along);                                                    \
    ptrdiff_t stride = x->dim[along].stride, asked_stride = is_array ? mask->dim[along].stride : 0;                                    \
    for (size_t k = 0; k < many; k++) {                                                                                                \
      const char *base = x->base + line_offset(x, along, k), *asked = is_array ? mask->base + line_offset(mask, along, k) : 0;         \
      char *to = result->base + k * result->length;                                                                                    \
      before;                                                                                                                          \
      OVER(base, stride, asked, asked_stride, n, what)                                                                                 \
      after;                                                                                                                           \
    }                                                                                                                                  \
  } while (0)

#endif
