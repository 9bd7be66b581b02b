// Temporary copies that flang asks for: of arguments, and of values that FORALL, WHERE and assignments with them set aside.

#include "objects.h"

void MODEL(_FortranAShallowCopy)(descriptor *to, const descriptor *from, const char *file, int line) {
  establish(to, from->type, from->length, from->rank, ALLOCATABLE);
  EACH(d, from->rank) {
    to->dim[d].lower = 1;
    to->dim[d].extent = from->dim[d].extent;
  }
  if (from->extra & HAS_ADDENDUM) {
    to->extra |= HAS_ADDENDUM;
    *addendum_of(to) = *addendum_of(from);
  }
  make_contiguous(to);
  size_t bytes = elements(from) * from->length;
  char *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    _FortranAReportFatalUserError("ShallowCopy: no memory", file, line);
  gather(memory, from->base, from, from->type, from->length);
  to->base = memory;
}
// Memory for the copy is there.
void MODEL(_FortranAShallowCopyDirect)(const descriptor *to, const descriptor *from, const char *file, int line) {
  (void)file, (void)line;
  move_all(to->base, to, from->base, from, from->type, from->length);
}

// A stack of copies: room for as many descriptors as there are, doubled where it is full.
typedef struct {
  size_t count, room;
  descriptor **items;
  const char *file;
  int line;
  const derived_type *deep; // of the values, if these have allocatable components
} stack;

INLINE void *allocate(size_t bytes, const stack *s) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    _FortranAReportFatalUserError("no memory for a temporary", s->file, s->line);
  return memory;
}

void *MODEL(_FortranACreateValueStack)(const char *file, int line) {
  stack *s = malloc(sizeof *s);
  if (!s)
    _FortranAReportFatalUserError("no memory for a temporary", file, line);
  s->count = 0;
  s->room = 8;
  s->file = file;
  s->line = line;
  s->deep = 0;
  s->items = allocate(s->room * sizeof *s->items, s);
  return s;
}

INLINE descriptor *append(stack *s) {
  if (s->count == s->room) {
    descriptor **more = allocate(2 * s->room * sizeof *more, s);
    for (size_t i = 0; i < s->count; i++)
      more[i] = s->items[i];
    free(s->items);
    s->items = more;
    s->room *= 2;
  }
  descriptor *d = allocate(sizeof *d, s);
  s->items[s->count++] = d;
  return d;
}

// y becomes what x is.
INLINE void repeat(descriptor *y, const descriptor *x) {
  establish(y, x->type, x->length, x->rank, x->attribute);
  y->base = x->base;
  EACH(d, x->rank) y->dim[d] = x->dim[d];
  if (x->extra & HAS_ADDENDUM) {
    y->extra = HAS_ADDENDUM;
    *addendum_of(y) = *addendum_of(x);
  }
}

void MODEL(_FortranAPushValue)(stack *s, const descriptor *x) {
  descriptor *d = append(s);
  repeat(d, x);
  d->attribute = ALLOCATABLE;
  make_contiguous(d);
  char *memory = allocate(elements(x) * x->length, s);
  const derived_type *t = type_of(x);
  if (is_deep(t)) {
    copy_objects(memory, d, x->base, x, t, true, false, false);
    s->deep = t;
  } else {
    gather(memory, x->base, x, x->type, x->length);
  }
  d->base = memory;
}
void MODEL(_FortranAValueAt)(stack *s, uint64_t i, descriptor *x) { repeat(x, s->items[i]); }
void MODEL(_FortranADestroyValueStack)(stack *s) {
  for (size_t i = 0; i < s->count; i++) {
    const descriptor *d = s->items[i];
    if (s->deep)
      for (size_t k = 0, n = elements(d); k < n; k++)
        destroy_any(d->base + k * d->length, s->deep);
    free(d->base);
    free(s->items[i]);
  }
  free(s->items);
  free(s);
}

void *MODEL(_FortranACreateDescriptorStack)(const char *file, int line) { return MODEL(_FortranACreateValueStack)(file, line); }
void MODEL(_FortranAPushDescriptor)(stack *s, const descriptor *x) { repeat(append(s), x); }
void MODEL(_FortranADescriptorAt)(stack *s, uint64_t i, descriptor *x) { repeat(x, s->items[i]); }
void MODEL(_FortranADestroyDescriptorStack)(stack *s) {
  for (size_t i = 0; i < s->count; i++)
    free(s->items[i]);
  free(s->items);
  free(s);
}
