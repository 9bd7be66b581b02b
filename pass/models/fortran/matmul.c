// Products of matrices and vectors.

#include "reduce.h"

typedef struct {
  size_t rows, inner, columns;
  ptrdiff_t row, along_left, along_right, column, to_row, to_column; // strides
} shape;

// A vector is one row on the left, one column on the right.
INLINE shape shape_of(const descriptor *x, const descriptor *y, bool is_transposed, const char *file, int line) {
  int first = is_transposed ? 1 : 0;
  shape s;
  s.rows = x->rank == 2 ? (size_t)x->dim[first].extent : 1;
  s.row = x->rank == 2 ? x->dim[first].stride : 0;
  s.inner = (size_t)(x->rank == 2 ? x->dim[1 - first].extent : x->dim[0].extent);
  s.along_left = x->rank == 2 ? x->dim[1 - first].stride : x->dim[0].stride;
  s.columns = y->rank == 2 ? (size_t)y->dim[1].extent : 1;
  s.column = y->rank == 2 ? y->dim[1].stride : 0;
  s.along_right = y->dim[0].stride;
  if (s.inner != (size_t)y->dim[0].extent)
    _FortranAReportFatalUserError("MATMUL: unacceptable operand shapes", file, line);
  return s;
}

INLINE void set_extents(descriptor *r, const descriptor *x, const descriptor *y, const shape *s, signed char type, size_t length,
                        const char *file, int line) {
  int rank = x->rank + y->rank - 2;
  establish(r, type, length, rank, ALLOCATABLE);
  if (rank > 0) {
    r->dim[0].lower = 1;
    r->dim[0].extent = (ptrdiff_t)(x->rank == 2 ? s->rows : s->columns);
  }
  if (rank > 1) {
    r->dim[1].lower = 1;
    r->dim[1].extent = (ptrdiff_t)s->columns;
  }
  make_contiguous(r);
  size_t bytes = elements(r) * length;
  char *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    _FortranAReportFatalUserError("MATMUL: no memory for the result", file, line);
  r->base = memory;
}

INLINE void set_strides(const descriptor *r, const descriptor *x, const descriptor *y, shape *s) {
  s->to_row = x->rank == 2 ? r->dim[0].stride : 0;
  s->to_column = y->rank == 2 ? r->dim[x->rank == 2 ? 1 : 0].stride : 0;
}

#define TO(T, i, j) (*(T *)(r->base + (ptrdiff_t)(i) * s.to_row + (ptrdiff_t)(j) * s.to_column))
#define LEFT(T, i, k) (*(const T *)(x->base + (ptrdiff_t)(i) * s.row + (ptrdiff_t)(k) * s.along_left))
#define RIGHT(T, k, j) (*(const T *)(y->base + (ptrdiff_t)(k) * s.along_right + (ptrdiff_t)(j) * s.column))

// Column by column of the left factor, so that memory is read in its order; rows of a transposed factor are columns in memory.
#define MULTIPLY(R, S, X, Y)                                                                                                           \
  for (size_t j = 0; j < s.columns; j++)                                                                                               \
    if (is_transposed || s.rows == 1) {                                                                                                \
      for (size_t i = 0; i < s.rows; i++) {                                                                                            \
        S sum = 0;                                                                                                                     \
        for (size_t k = 0; k < s.inner; k++)                                                                                           \
          sum += (S)LEFT(X, i, k) * (S)RIGHT(Y, k, j);                                                                                 \
        TO(R, i, j) = (R)sum;                                                                                                          \
      }                                                                                                                                \
    } else {                                                                                                                           \
      for (size_t i = 0; i < s.rows; i++)                                                                                              \
        TO(R, i, j) = 0;                                                                                                               \
      for (size_t k = 0; k < s.inner; k++)                                                                                             \
        for (size_t i = 0; i < s.rows; i++)                                                                                            \
          TO(R, i, j) += (R)LEFT(X, i, k) * (R)RIGHT(Y, k, j);                                                                         \
    }

// Complex numbers are two reals.
#define MULTIPLY_COMPLEX(R, X, Y, x_is, y_is)                                                                                          \
  for (size_t j = 0; j < s.columns; j++)                                                                                               \
    for (size_t i = 0; i < s.rows; i++) {                                                                                              \
      R re = 0, im = 0;                                                                                                                \
      for (size_t k = 0; k < s.inner; k++) {                                                                                           \
        const X *p = &LEFT(X, i, k);                                                                                                   \
        const Y *q = &RIGHT(Y, k, j);                                                                                                  \
        R a = (R)p[0], b = x_is ? (R)p[x_is] : 0, c = (R)q[0], d = y_is ? (R)q[y_is] : 0;                                              \
        re += a * c - b * d;                                                                                                           \
        im += a * d + b * c;                                                                                                           \
      }                                                                                                                                \
      R *to = &TO(R, i, j);                                                                                                            \
      to[0] = re;                                                                                                                      \
      to[1] = im;                                                                                                                      \
    }

#define ENTRIES(names, type, length, what)                                                                                             \
  void MODEL(_FortranAMatmul##names)(descriptor *r, const descriptor *x, const descriptor *y, const char *file, int line) {            \
    enum { is_transposed = 0 };                                                                                                        \
    shape s = shape_of(x, y, false, file, line);                                                                                       \
    set_extents(r, x, y, &s, type, length, file, line);                                                                                \
    set_strides(r, x, y, &s);                                                                                                          \
    what                                                                                                                               \
  }                                                                                                                                    \
  void MODEL(_FortranAMatmulDirect##names)(const descriptor *r, const descriptor *x, const descriptor *y, const char *file,            \
                                           int line) {                                                                                 \
    enum { is_transposed = 0 };                                                                                                        \
    shape s = shape_of(x, y, false, file, line);                                                                                       \
    set_strides(r, x, y, &s);                                                                                                          \
    what                                                                                                                               \
  }                                                                                                                                    \
  void MODEL(_FortranAMatmulTranspose##names)(descriptor *r, const descriptor *x, const descriptor *y, const char *file, int line) {   \
    enum { is_transposed = 1 };                                                                                                        \
    shape s = shape_of(x, y, true, file, line);                                                                                        \
    set_extents(r, x, y, &s, type, length, file, line);                                                                                \
    set_strides(r, x, y, &s);                                                                                                          \
    what                                                                                                                               \
  }                                                                                                                                    \
  void MODEL(_FortranAMatmulTransposeDirect##names)(const descriptor *r, const descriptor *x, const descriptor *y, const char *file,   \
                                                    int line) {                                                                        \
    enum { is_transposed = 1 };                                                                                                        \
    shape s = shape_of(x, y, true, file, line);                                                                                        \
    set_strides(r, x, y, &s);                                                                                                          \
    what                                                                                                                               \
  }

ENTRIES(Real8Real8, REAL8, 8, MULTIPLY(double, double, double, double))
ENTRIES(Real4Real4, REAL4, 4, MULTIPLY(float, double, float, float))
ENTRIES(Real8Real4, REAL8, 8, MULTIPLY(double, double, double, float))
ENTRIES(Real4Real8, REAL8, 8, MULTIPLY(double, double, float, double))
ENTRIES(Real10Real10, REAL10, 16, MULTIPLY(long double, long double, long double, long double))
ENTRIES(Real8Integer4, REAL8, 8, MULTIPLY(double, double, double, int32_t))
ENTRIES(Integer4Real8, REAL8, 8, MULTIPLY(double, double, int32_t, double))
ENTRIES(Real8Integer8, REAL8, 8, MULTIPLY(double, double, double, int64_t))
ENTRIES(Integer8Real8, REAL8, 8, MULTIPLY(double, double, int64_t, double))
ENTRIES(Real4Integer4, REAL4, 4, MULTIPLY(float, double, float, int32_t))
ENTRIES(Integer4Real4, REAL4, 4, MULTIPLY(float, double, int32_t, float))
ENTRIES(Integer4Integer4, INT32, 4, MULTIPLY(uint32_t, uint32_t, uint32_t, uint32_t))
ENTRIES(Integer8Integer8, INT64, 8, MULTIPLY(uint64_t, uint64_t, uint64_t, uint64_t))
ENTRIES(Complex8Complex8, COMPLEX8, 16, MULTIPLY_COMPLEX(double, double, double, 1, 1))
ENTRIES(Complex4Complex4, COMPLEX4, 8, MULTIPLY_COMPLEX(float, float, float, 1, 1))
ENTRIES(Complex8Real8, COMPLEX8, 16, MULTIPLY_COMPLEX(double, double, double, 1, 0))
ENTRIES(Real8Complex8, COMPLEX8, 16, MULTIPLY_COMPLEX(double, double, double, 0, 1))
