// Derived types as flang describes them (module __fortran_type_info), and their initial values. The descriptions are constants of the
// module; where a call shows the type, what they say folds. Types within types are followed in place for a few levels, then by functions
// that call themselves.

#ifndef ADCC_DERIVED_H
#define ADCC_DERIVED_H

#include "descriptor.h"

// A descriptor as it lies in a description.
typedef struct {
  const char *base;
  char header[16];
  dimension dim;
  addendum more;
} table;

struct derived_type {
  table bindings;
  char name[24];
  size_t bytes;
  char parameters[136];
  table components, pointers, special;
  int special_set;
  unsigned char has_parent, needs_no_initialization, needs_no_destruction, needs_no_finalization, has_no_assignment;
};

enum genre { DATA = 1, POINTER_COMPONENT, ALLOCATABLE_COMPONENT, AUTOMATIC_COMPONENT };

typedef struct {
  unsigned char genre;
  int64_t value;
} value;

typedef struct {
  char name[24];
  unsigned char genre, category, kind, rank;
  size_t offset;
  value length; // of characters
  struct {
    const derived_type *type;
    char rest[32];
  } derived;
  char lengths[64];
  struct {
    const value *base;
    char rest[80];
  } bounds;
  const char *initial;
} component;

typedef struct {
  char name[24];
  size_t offset;
  const char *initial;
} procedure_pointer;

_Static_assert(sizeof(component) == 256 && sizeof(derived_type) == 440 && sizeof(procedure_pointer) == 40, "as flang has them");
_Static_assert(offsetof(derived_type, has_parent) == 428 && offsetof(derived_type, needs_no_finalization) == 431,
               "as canon/models/fortran.rs reads them");

INLINE const derived_type *type_of(const descriptor *x) {
  const addendum *more = addendum_of(x);
  return more ? more->type : 0;
}

// Whether a call shows what a description says. Where none does, objects are left to functions for any type.
#define IS_SHOWN(t) __builtin_constant_p((t)->bytes)

// Whether objects have more than their bytes.
INLINE bool is_deep(const derived_type *t) { return t && !t->needs_no_destruction; }

INLINE size_t component_bytes(const component *c) {
  if (c->category == DERIVED_TYPE)
    return c->derived.type ? c->derived.type->bytes : 0;
  if (c->category == CHARACTER)
    return (size_t)c->length.value * c->kind;
  return bytes_of((enum category)c->category, c->kind);
}
INLINE size_t component_elements(const component *c) {
  size_t n = 1;
  EACH(d, c->rank) {
    int64_t lower = c->bounds.base[2 * d].value, upper = c->bounds.base[2 * d + 1].value;
    n *= upper >= lower ? (size_t)(upper - lower + 1) : 0;
  }
  return n;
}

#define EACH_COMPONENT(c, t)                                                                                                           \
  UNROLL for (const component *c = (const component *)(t)->components.base, *end_of_##c = c + (t)->components.dim.extent;              \
              c != end_of_##c; c++)

// Moves members that are no descriptors, typed where the description folds.
INLINE void move_component(char *to, const char *from, const component *c, size_t n) {
  size_t bytes = component_bytes(c);
  move_along(to, (ptrdiff_t)bytes, from, (ptrdiff_t)bytes, n, code_of((enum category)c->category, c->kind), bytes);
}

INLINE void establish_component(descriptor *d, const component *c, unsigned char attribute) {
  establish(d, code_of((enum category)c->category, c->kind), component_bytes(c), c->rank, attribute);
  if (c->category == DERIVED_TYPE) {
    d->extra = HAS_ADDENDUM;
    addendum_of(d)->type = c->derived.type;
  }
}

// Member by member: what is null has no shadow, and needs none.
INLINE void associate_component(descriptor *d, const component *c) {
  const descriptor *image = (const descriptor *)c->initial;
  establish_component(d, c, POINTER);
  d->base = image->base;
  EACH(k, c->rank) d->dim[k] = image->dim[k];
}

// Each of these is defined for a level by means of the next.
#define INITIALIZE(level, next)                                                                                                        \
  level(char *object, const derived_type *t) {                                                                                         \
    EACH_COMPONENT(c, t) {                                                                                                             \
      char *at = object + c->offset;                                                                                                   \
      if (c->genre == ALLOCATABLE_COMPONENT || (c->genre == POINTER_COMPONENT && !c->initial))                                         \
        establish_component((descriptor *)at, c, c->genre == POINTER_COMPONENT ? POINTER : ALLOCATABLE);                               \
      else if (c->genre == POINTER_COMPONENT)                                                                                          \
        associate_component((descriptor *)at, c);                                                                                      \
      else if (c->genre == AUTOMATIC_COMPONENT)                                                                                        \
        _FortranAReportFatalUserError("adcc: automatic components are not differentiated", 0, 0);                                      \
      else if (c->initial)                                                                                                             \
        move_component(at, c->initial, c, component_elements(c));                                                                      \
      else if (c->category == DERIVED_TYPE && c->derived.type && !c->derived.type->needs_no_initialization)                            \
        for (size_t k = 0, n = component_elements(c); k < n; k++)                                                                      \
          next(at + k * c->derived.type->bytes, c->derived.type);                                                                      \
    }                                                                                                                                  \
    UNROLL                                                                                                                             \
    for (int i = 0; i < t->pointers.dim.extent; i++) {                                                                                 \
      const procedure_pointer *p = (const procedure_pointer *)t->pointers.base + i;                                                    \
      *(const char **)(object + p->offset) = p->initial;                                                                               \
    }                                                                                                                                  \
  }
static __attribute__((noinline, unused)) void INITIALIZE(initialize_any, initialize_any)
INLINE void INITIALIZE(initialize_inner, initialize_any)
INLINE void INITIALIZE(initialize_outer, initialize_inner)
INLINE void initialize_object(char *object, const derived_type *t) {
  if (IS_SHOWN(t))
    initialize_outer(object, t);
  else
    initialize_any(object, t);
}

#endif
