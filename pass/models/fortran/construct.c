// Array constructors whose length shows as they are filled: values are appended to a vector, which grows.

#include "objects.h"

// The compiler provides the memory, ten words, and hands on its address.
typedef struct {
  descriptor *to;
  size_t next, capacity;
  const char *file;
  int line;
  bool takes_length;
} vector;

void MODEL(_FortranAInitArrayConstructorVector)(vector *v, descriptor *to, bool takes_length, const char *file, int line) {
  v->to = to;
  v->next = 0;
  v->capacity = to->base ? (size_t)to->dim[0].extent : 0;
  v->file = file;
  v->line = line;
  v->takes_length = takes_length;
}

// Makes room for n more elements. Where there is nothing yet, the extent is what the compiler expects.
INLINE void make_room(vector *v, size_t n, int type, size_t from_length) {
  descriptor *to = v->to;
  size_t wanted = v->next + n;
  if (!to->base) {
    if (v->takes_length)
      to->length = from_length;
    size_t expected = (size_t)to->dim[0].extent, capacity = expected > wanted ? expected : wanted, bytes = capacity * to->length;
    char *memory = malloc(bytes ? bytes : 1);
    if (!memory)
      _FortranAReportFatalUserError("array constructor: no memory", v->file, v->line);
    to->base = memory;
    to->dim[0].lower = 1;
    to->dim[0].extent = (ptrdiff_t)capacity;
    to->dim[0].stride = (ptrdiff_t)to->length;
    v->capacity = capacity;
  } else if (wanted > v->capacity) {
    size_t capacity = 2 * v->capacity > wanted ? 2 * v->capacity : wanted;
    char *memory = malloc(capacity * to->length);
    if (!memory)
      _FortranAReportFatalUserError("array constructor: no memory", v->file, v->line);
    move_along(memory, (ptrdiff_t)to->length, to->base, (ptrdiff_t)to->length, v->next, type, to->length);
    free(to->base);
    to->base = memory;
    v->capacity = capacity;
  }
  if (wanted > (size_t)to->dim[0].extent)
    to->dim[0].extent = (ptrdiff_t)wanted;
}

void MODEL(_FortranAPushArrayConstructorValue)(vector *v, const descriptor *from) {
  size_t n = elements(from), along = column_length(from), many = columns(from);
  make_room(v, n, from->type, from->length);
  descriptor *to = v->to;
  ptrdiff_t to_stride = to->dim[0].stride, from_stride = column_stride(from);
  char *at = to->base + (ptrdiff_t)v->next * to_stride;
  if (is_character(from->type)) {
    int width = width_of(from->type);
    for (size_t k = 0; k < many; k++)
      move_text(at + (ptrdiff_t)(k * along) * to_stride, to_stride, from->base + column_offset(from, k), from_stride, along, to->length,
                from->length, width);
  } else {
    for (size_t k = 0; k < many; k++)
      place_along(at + (ptrdiff_t)(k * along) * to_stride, to_stride, from->base + column_offset(from, k), from_stride, along, from);
  }
  v->next += n;
}

void MODEL(_FortranAPushArrayConstructorSimpleScalar)(vector *v, const char *from) {
  int type = v->to->type;
  make_room(v, 1, type, v->to->length);
  descriptor *to = v->to;
  move_along(to->base + (ptrdiff_t)v->next * to->dim[0].stride, 0, from, 0, 1, type, to->length);
  v->next++;
}
