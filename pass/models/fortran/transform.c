// Array functions that move elements: spread, reshape, transpose, cshift, eoshift, pack, unpack. Their results are allocated here.

#include "objects.h"
#include "reduce.h"

// Makes r an unallocated result of the type of x.
INLINE void begin_result(descriptor *r, const descriptor *x, int rank) {
  establish(r, x->type, x->length, rank, ALLOCATABLE);
  if (x->extra & HAS_ADDENDUM) {
    r->extra = HAS_ADDENDUM;
    *addendum_of(r) = *addendum_of(x);
  }
}

INLINE void set_extent(descriptor *r, int d, ptrdiff_t extent) {
  r->dim[d].lower = 1;
  r->dim[d].extent = extent;
}

// Allocates it, its extents being set.
INLINE void finish_result(descriptor *r, const char *file, int line) {
  make_contiguous(r);
  size_t bytes = elements(r) * r->length;
  char *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    _FortranAReportFatalUserError("no memory for the result of an array function", file, line);
  r->base = memory;
}

#define FILL(T)                                                                                                                        \
  for (size_t i = 0; i < n; i++)                                                                                                       \
    *(T *)(to_base + (ptrdiff_t)i * to_stride) = 0;                                                                                    \
  return

// Elements that are zero, false or blank.
INLINE void fill_along(char *to_base, ptrdiff_t to_stride, size_t n, int type, size_t length) {
  if (__builtin_constant_p(type))
    switch (type) {
    case REAL8:
      FILL(double);
    case REAL4:
      FILL(float);
    case REAL10:
      FILL(long double);
    default:
      break;
    }
  int blank = type == CHARACTER1 ? ' ' : 0;
  for (size_t i = 0; i < n; i++) {
    char *to = to_base + (ptrdiff_t)i * to_stride;
    __builtin_memset(to, blank, length);
    if (type == CHARACTER2 || type == CHARACTER4)
      for (size_t k = 0; k < length; k += (size_t)width_of(type))
        to[k] = ' ';
  }
}

void MODEL(_FortranASpread)(descriptor *result, const descriptor *x, int dim, int64_t copies, const char *file, int line) {
  int rank = x->rank + 1, along = dim - 1;
  size_t n = copies > 0 ? (size_t)copies : 0;
  begin_result(result, x, rank);
  EACH(d, rank) { set_extent(result, d, d == along ? (ptrdiff_t)n : x->dim[d < along ? d : d - 1].extent); }
  finish_result(result, file, line);
  size_t many = elements(x);
  ptrdiff_t stride = result->dim[along].stride;
  for (size_t k = 0; k < many; k++)
    place_along(result->base + line_offset(result, along, k), stride, x->base + element_offset(x, k), 0, n, x);
}

void MODEL(_FortranATranspose)(descriptor *result, const descriptor *x, const char *file, int line) {
  begin_result(result, x, 2);
  set_extent(result, 0, x->dim[1].extent);
  set_extent(result, 1, x->dim[0].extent);
  finish_result(result, file, line);
  size_t n = (size_t)x->dim[1].extent, many = (size_t)x->dim[0].extent;
  for (size_t k = 0; k < many; k++)
    place_along(result->base + (ptrdiff_t)k * result->dim[1].stride, (ptrdiff_t)x->length, x->base + (ptrdiff_t)k * x->dim[0].stride,
               x->dim[1].stride, n, x);
}

INLINE void same_shape(descriptor *result, const descriptor *x, const char *file, int line) {
  begin_result(result, x, x->rank);
  EACH(d, x->rank) { set_extent(result, d, x->dim[d].extent); }
  finish_result(result, file, line);
}

INLINE void rotate(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride, ptrdiff_t n, int64_t shift,
                   const descriptor *x) {
  ptrdiff_t by = n ? (ptrdiff_t)(shift % n) : 0;
  if (by < 0)
    by += n;
  place_along(to, to_stride, from + by * from_stride, from_stride, (size_t)(n - by), x);
  place_along(to + (n - by) * to_stride, to_stride, from, from_stride, (size_t)by, x);
}

void MODEL(_FortranACshiftVector)(descriptor *result, const descriptor *x, int64_t shift, const char *file, int line) {
  begin_result(result, x, 1);
  set_extent(result, 0, x->dim[0].extent);
  finish_result(result, file, line);
  rotate(result->base, (ptrdiff_t)x->length, x->base, x->dim[0].stride, x->dim[0].extent, shift, x);
}
void MODEL(_FortranACshift)(descriptor *result, const descriptor *x, const descriptor *shift, int dim, const char *file, int line) {
  int along = dim - 1;
  same_shape(result, x, file, line);
  size_t many = lines(x, along);
  for (size_t k = 0; k < many; k++) {
    int64_t by = integer_of(shift->base + (shift->rank ? element_offset(shift, k) : 0), shift->length);
    rotate(result->base + line_offset(result, along, k), result->dim[along].stride, x->base + line_offset(x, along, k), x->dim[along].stride,
           x->dim[along].extent, by, x);
  }
}

// What is shifted in comes from `edge`, or is zero where that is null.
INLINE void shift_line(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride, ptrdiff_t n, int64_t shift, const char *edge,
                       const descriptor *x) {
  ptrdiff_t by = shift > n ? n : shift < -n ? -n : (ptrdiff_t)shift;
  ptrdiff_t kept = by > 0 ? n - by : n + by, in = n - kept;
  place_along(to + (by > 0 ? 0 : in) * to_stride, to_stride, from + (by > 0 ? by : 0) * from_stride, from_stride, (size_t)kept, x);
  char *free_part = to + (by > 0 ? kept : 0) * to_stride;
  if (edge)
    place_along(free_part, to_stride, edge, 0, (size_t)in, x);
  else
    fill_along(free_part, to_stride, (size_t)in, x->type, x->length);
}

void MODEL(_FortranAEoshiftVector)(descriptor *result, const descriptor *x, int64_t shift, const descriptor *edge, const char *file,
                                   int line) {
  begin_result(result, x, 1);
  set_extent(result, 0, x->dim[0].extent);
  finish_result(result, file, line);
  shift_line(result->base, (ptrdiff_t)x->length, x->base, x->dim[0].stride, x->dim[0].extent, shift, edge ? edge->base : 0, x);
}
void MODEL(_FortranAEoshift)(descriptor *result, const descriptor *x, const descriptor *shift, const descriptor *edge, int dim,
                             const char *file, int line) {
  int along = dim - 1;
  same_shape(result, x, file, line);
  size_t many = lines(x, along);
  for (size_t k = 0; k < many; k++) {
    int64_t by = integer_of(shift->base + (shift->rank ? element_offset(shift, k) : 0), shift->length);
    const char *in = edge ? edge->base + (edge->rank ? element_offset(edge, k) : 0) : 0;
    shift_line(result->base + line_offset(result, along, k), result->dim[along].stride, x->base + line_offset(x, along, k),
               x->dim[along].stride, x->dim[along].extent, by, in, x);
  }
}

void MODEL(_FortranAPack)(descriptor *result, const descriptor *x, const descriptor *mask, const descriptor *padding, const char *file,
                          int line) {
  size_t many = columns(x), along = column_length(x), count = 0;
  ptrdiff_t stride = column_stride(x), mask_stride = mask->rank ? column_stride(mask) : 0;
  for (size_t k = 0; k < many; k++) {
    const char *asked = mask->base + (mask->rank ? column_offset(mask, k) : 0);
    for (size_t i = 0; i < along; i++)
      count += is_true(asked + (ptrdiff_t)i * mask_stride, mask->length);
  }
  begin_result(result, x, 1);
  set_extent(result, 0, padding ? padding->dim[0].extent : (ptrdiff_t)count);
  finish_result(result, file, line);
  size_t next = 0, n = (size_t)result->dim[0].extent;
  if (count > n)
    _FortranAReportFatalUserError("PACK: VECTOR= has too few elements", file, line);
  for (size_t k = 0; k < many; k++) {
    const char *asked = mask->base + (mask->rank ? column_offset(mask, k) : 0), *from = x->base + column_offset(x, k);
    for (size_t i = 0; i < along; i++)
      if (is_true(asked + (ptrdiff_t)i * mask_stride, mask->length)) {
        place_along(result->base + next * x->length, 0, from + (ptrdiff_t)i * stride, 0, 1, x);
        next++;
      }
  }
  if (padding)
    place_along(result->base + next * x->length, (ptrdiff_t)x->length, padding->base + (ptrdiff_t)next * padding->dim[0].stride,
               padding->dim[0].stride, n - next, x);
}

void MODEL(_FortranAUnpack)(descriptor *result, const descriptor *x, const descriptor *mask, const descriptor *field, const char *file,
                            int line) {
  begin_result(result, x, mask->rank);
  EACH(d, mask->rank) { set_extent(result, d, mask->dim[d].extent); }
  finish_result(result, file, line);
  size_t many = columns(mask), along = column_length(mask), next = 0, n = (size_t)x->dim[0].extent;
  ptrdiff_t mask_stride = column_stride(mask), field_stride = field->rank ? column_stride(field) : 0;
  for (size_t k = 0; k < many; k++) {
    const char *asked = mask->base + column_offset(mask, k), *other = field->base + (field->rank ? column_offset(field, k) : 0);
    char *to = result->base + k * along * x->length;
    for (size_t i = 0; i < along; i++)
      if (is_true(asked + (ptrdiff_t)i * mask_stride, mask->length)) {
        if (next >= n)
          _FortranAReportFatalUserError("UNPACK: VECTOR= has too few elements", file, line);
        place_along(to + i * x->length, 0, x->base + (ptrdiff_t)next * x->dim[0].stride, 0, 1, x);
        next++;
      } else {
        place_along(to + i * x->length, 0, other + (ptrdiff_t)i * field_stride, 0, 1, x);
      }
  }
}

void MODEL(_FortranAReshape)(descriptor *result, const descriptor *x, const descriptor *shape, const descriptor *padding,
                             const descriptor *order, const char *file, int line) {
  int rank = __builtin_constant_p(result->rank) ? result->rank : (int)shape->dim[0].extent;
  begin_result(result, x, rank);
  EACH(d, rank) {
    int64_t extent = integer_of(shape->base + d * shape->dim[0].stride, shape->length);
    if (extent < 0)
      _FortranAReportFatalUserError("RESHAPE: bad value in SHAPE=", file, line);
    set_extent(result, d, (ptrdiff_t)extent);
  }
  finish_result(result, file, line);
  size_t n = elements(result), given = elements(x), first = given < n ? given : n, pads = padding ? elements(padding) : 0;
  if (given < n && !pads)
    _FortranAReportFatalUserError("RESHAPE: not enough elements", file, line);
  if (order) {
    for (size_t k = 0; k < n; k++) {
      size_t left = k;
      ptrdiff_t offset = 0;
      EACH(d, rank) {
        int by = (int)integer_of(order->base + d * order->dim[0].stride, order->length) - 1;
        size_t extent = (size_t)integer_of(shape->base + by * shape->dim[0].stride, shape->length);
        ptrdiff_t stride = (ptrdiff_t)x->length;
        UNROLL
        for (int e = 0; e < rank; e++)
          if (e < by)
            stride *= (ptrdiff_t)integer_of(shape->base + e * shape->dim[0].stride, shape->length);
        offset += (ptrdiff_t)(left % extent) * stride;
        left /= extent;
      }
      if (k < given)
        place_along(result->base + offset, 0, x->base + element_offset(x, k), 0, 1, x);
      else
        place_along(result->base + offset, 0, padding->base + element_offset(padding, (k - given) % pads), 0, 1, x);
    }
    return;
  }
  size_t along = column_length(x), done = 0;
  ptrdiff_t from_stride = column_stride(x);
  for (size_t k = 0; done < first; k++) {
    size_t some = first - done < along ? first - done : along;
    place_along(result->base + done * x->length, (ptrdiff_t)x->length, x->base + column_offset(x, k), from_stride, some, x);
    done += some;
  }
  for (size_t k = first; k < n; k++)
    place_along(result->base + k * x->length, 0, padding->base + element_offset(padding, (k - first) % pads), 0, 1, x);
}
