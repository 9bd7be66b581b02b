// Places of elements, as integers of a kind.

#ifndef ADCC_PLACES_H
#define ADCC_PLACES_H

#include "descriptor.h"

INLINE void put_integer(char *to, int64_t number, int kind) {
  switch (kind) {
  case 1:
    *(int8_t *)to = (int8_t)number;
    return;
  case 2:
    *(int16_t *)to = (int16_t)number;
    return;
  case 4:
    *(int32_t *)to = (int32_t)number;
    return;
  default:
    *(int64_t *)to = number;
  }
}

// The subscripts of element number `place`, from one on, or zeros.
INLINE void put_place(descriptor *result, const descriptor *x, int64_t place, int kind, const char *file, int line) {
  establish(result, code_of(INTEGER, kind), (size_t)kind, 1, ALLOCATABLE);
  result->dim[0].lower = 1;
  result->dim[0].extent = x->rank;
  make_contiguous(result);
  char *memory = malloc(x->rank ? x->rank * (size_t)kind : 1);
  if (!memory)
    _FortranAReportFatalUserError("no memory for the place of an extremum", file, line);
  result->base = memory;
  uint64_t left = (uint64_t)(place - 1);
  EACH(d, x->rank) {
    uint64_t extent = (uint64_t)x->dim[d].extent;
    put_integer(memory + d * kind, place ? (int64_t)(left % extent) + 1 : 0, kind);
    left = place ? left / extent : 0;
  }
}

#endif
