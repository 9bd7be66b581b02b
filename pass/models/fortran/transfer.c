// TRANSFER: the bytes of one object as another one. Elements of the source move with their own type.

#include "descriptor.h"

INLINE void transfer(descriptor *result, const descriptor *source, const descriptor *mold, int rank, size_t extent, const char *file,
                     int line) {
  establish(result, mold->type, mold->length, rank, ALLOCATABLE);
  if (mold->extra & HAS_ADDENDUM) {
    result->extra |= HAS_ADDENDUM;
    *addendum_of(result) = *addendum_of(mold);
  }
  size_t bytes = mold->length;
  EACH(d, rank) {
    result->dim[d].lower = 1;
    result->dim[d].extent = (ptrdiff_t)extent;
    bytes = extent * mold->length;
  }
  make_contiguous(result);
  char *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    _FortranAReportFatalUserError("TRANSFER: no memory", file, line);
  size_t n = elements(source), length = source->length;
  if (n * length <= bytes) {
    gather(memory, source->base, source, source->type, length);
    if (n * length < bytes)
      __builtin_memset(memory + n * length, 0, bytes - n * length);
  } else {
    size_t whole = bytes / length, rest = bytes % length;
    for (size_t k = 0; k < whole; k++)
      move_along(memory + k * length, 0, source->base + element_offset(source, k), 0, 1, source->type, length);
    if (rest)
      __builtin_memcpy(memory + whole * length, source->base + element_offset(source, whole), rest);
  }
  result->base = memory;
}

void MODEL(_FortranATransfer)(descriptor *result, const descriptor *source, const descriptor *mold, const char *file, int line) {
  size_t bytes = elements(source) * source->length;
  size_t extent = mold->length ? (bytes + mold->length - 1) / mold->length : 0;
  if (mold->rank > 0 && bytes && !mold->length)
    _FortranAReportFatalUserError("TRANSFER: the mold has no bytes", file, line);
  transfer(result, source, mold, mold->rank > 0 ? 1 : 0, extent, file, line);
}
void MODEL(_FortranATransferSize)(descriptor *result, const descriptor *source, const descriptor *mold, const char *file, int line,
                                  int64_t size) {
  transfer(result, source, mold, 1, size > 0 ? (size_t)size : 0, file, line);
}
