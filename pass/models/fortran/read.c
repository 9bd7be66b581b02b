// Input of arrays of reals, element by element: what is read of each is told apart then (canon/calls/reads). Others are the library's.

#include "descriptor.h"

bool _FortranAioInputReal32(void *unit, float *);
bool _FortranAioInputReal64(void *unit, double *);
bool _FortranAioInputComplex32(void *unit, float *);
bool _FortranAioInputComplex64(void *unit, double *);

#define READ(name, T)                                                                                                                  \
  for (size_t k = 0, n = elements(x); k < n; k++)                                                                                      \
    if (!_FortranAioInput##name(unit, (T *)(x->base + element_offset(x, k))))                                                          \
      return false;                                                                                                                    \
  return true

// The caller shows that the type is one of these.
bool MODEL(_FortranAioInputDescriptor)(void *unit, const descriptor *x) {
  switch (x->type) {
  case REAL4:
    READ(Real32, float);
  case REAL8:
    READ(Real64, double);
  case COMPLEX4:
    READ(Complex32, float);
  case COMPLEX8:
    READ(Complex64, double);
  default:
    _FortranAReportFatalUserError("adcc: input of an array of unknown type is not differentiated", 0, 0);
  }
}
