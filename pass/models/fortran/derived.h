// Derived types as flang describes them (module __fortran_type_info), and what comes and goes with their objects: initial values and
// allocatable components. The descriptions are constants of the module; where a call shows the type, what they say folds. Types within
// types are followed in place for a few levels, then by functions that call themselves.

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

INLINE const derived_type *type_of(const descriptor *x) {
  const addendum *more = addendum_of(x);
  return more ? more->type : 0;
}

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
INLINE void INITIALIZE(initialize_object, initialize_inner)

// Final procedures of a type and of its components. Of types with polymorphic components the compiler does not know whether there are any.
enum { FIRST_FINAL = 7 };
static __attribute__((noinline, unused)) void refuse_final_any(const derived_type *t) {
  if (t->special_set >> FIRST_FINAL)
    _FortranAReportFatalUserError("adcc: final procedures are not differentiated", 0, 0);
  EACH_COMPONENT(c, t)
  if (c->genre == DATA && c->category == DERIVED_TYPE && c->derived.type && !c->derived.type->needs_no_finalization)
    refuse_final_any(c->derived.type);
}
INLINE void refuse_final(const derived_type *t) {
  if (!t->needs_no_finalization)
    refuse_final_any(t);
}

// Frees what the allocatable components lead to.
#define DESTROY(level, next)                                                                                                           \
  level(char *object, const derived_type *t) {                                                                                         \
    EACH_COMPONENT(c, t) {                                                                                                             \
      char *at = object + c->offset;                                                                                                   \
      bool is_in = c->category == DERIVED_TYPE && is_deep(c->derived.type);                                                            \
      if (c->genre == ALLOCATABLE_COMPONENT) {                                                                                         \
        descriptor *d = (descriptor *)at;                                                                                              \
        if (d->base) {                                                                                                                 \
          if (c->category == DERIVED_TYPE) {                                                                                           \
            const derived_type *in = addendum_at(d, c->rank)->type;                                                                    \
            if (in)                                                                                                                    \
              refuse_final(in);                                                                                                        \
            if (is_deep(in))                                                                                                           \
              for (size_t k = 0, n = elements(d); k < n; k++)                                                                          \
                next(d->base + k * d->length, in);                                                                                     \
          }                                                                                                                            \
          free(d->base);                                                                                                               \
          d->base = 0;                                                                                                                 \
        }                                                                                                                              \
      } else if (c->genre == DATA && is_in) {                                                                                          \
        for (size_t k = 0, n = component_elements(c); k < n; k++)                                                                      \
          next(at + k * c->derived.type->bytes, c->derived.type);                                                                      \
      }                                                                                                                                \
    }                                                                                                                                  \
  }
INLINE addendum *addendum_at(const descriptor *x, int rank) {
  return (addendum *)((char *)x + offsetof(descriptor, dim) + (size_t)rank * sizeof(dimension));
}
static __attribute__((noinline, unused)) void DESTROY(destroy_any, destroy_any)
INLINE void DESTROY(destroy_inner, destroy_any)
INLINE void DESTROY(destroy_object, destroy_inner)

// Types define assignment by procedures that are bound to them. Of types with polymorphic components the compiler does not know whether
// there is one.
enum { DEFINES_ASSIGNMENT = 1 << 1 | 1 << 2 };
INLINE void refuse_assignment(const derived_type *t) {
  if (t->special_set & DEFINES_ASSIGNMENT)
    _FortranAReportFatalUserError("adcc: assignments that types define are not differentiated", 0, 0);
}

// Copies an object that is initialised, and what allocatable components lead to.
#define COPY(level, next, release, begin)                                                                                              \
  level(char *to, const char *from, const derived_type *t) {                                                                           \
    if (to == from)                                                                                                                    \
      return;                                                                                                                          \
    refuse_assignment(t);                                                                                                              \
    EACH_COMPONENT(c, t) {                                                                                                             \
      char *at = to + c->offset;                                                                                                       \
      const char *source = from + c->offset;                                                                                           \
      if (c->genre == ALLOCATABLE_COMPONENT) {                                                                                         \
        descriptor *x = (descriptor *)at;                                                                                              \
        const descriptor *y = (const descriptor *)source;                                                                              \
        const derived_type *in = c->category == DERIVED_TYPE ? addendum_at(y, c->rank)->type : 0;                                      \
        const derived_type *old = c->category == DERIVED_TYPE ? addendum_at(x, c->rank)->type : 0;                                     \
        bool fits = x->base && y->base && x->length == y->length && x->type == y->type && in == old;                                   \
        EACH(d, c->rank) fits = fits && x->dim[d].extent == y->dim[d].extent;                                                          \
        if (x->base && !fits) {                                                                                                        \
          if (is_deep(old))                                                                                                            \
            for (size_t k = 0, n = elements(x); k < n; k++)                                                                            \
              release(x->base + k * x->length, old);                                                                                   \
          free(x->base);                                                                                                               \
          x->base = 0;                                                                                                                 \
        }                                                                                                                              \
        if (!y->base)                                                                                                                  \
          continue;                                                                                                                    \
        size_t n = elements(y), bytes = n * y->length;                                                                                 \
        if (!fits) {                                                                                                                   \
          x->length = y->length;                                                                                                       \
          x->type = y->type;                                                                                                           \
          if (c->category == DERIVED_TYPE)                                                                                             \
            addendum_at(x, c->rank)->type = in;                                                                                        \
          EACH(d, c->rank) x->dim[d] = y->dim[d];                                                                                      \
          char *memory = malloc(bytes ? bytes : 1);                                                                                    \
          if (!memory)                                                                                                                 \
            _FortranAReportFatalUserError("Assign: no memory", 0, 0);                                                                  \
          if (in)                                                                                                                      \
            for (size_t k = 0; k < n; k++)                                                                                             \
              begin(memory + k * y->length, in);                                                                                       \
          x->base = memory;                                                                                                            \
        }                                                                                                                              \
        if (is_deep(in))                                                                                                               \
          for (size_t k = 0; k < n; k++)                                                                                               \
            next(x->base + k * y->length, y->base + k * y->length, in);                                                                \
        else                                                                                                                           \
          move_along(x->base, (ptrdiff_t)y->length, y->base, (ptrdiff_t)y->length, n,                                                  \
                     code_of((enum category)c->category, c->kind), y->length);                                                         \
      } else if (c->genre == POINTER_COMPONENT) {                                                                                      \
        descriptor *x = (descriptor *)at;                                                                                              \
        const descriptor *y = (const descriptor *)source;                                                                              \
        x->base = y->base;                                                                                                             \
        x->length = y->length;                                                                                                         \
        x->type = y->type;                                                                                                             \
        EACH(d, c->rank) x->dim[d] = y->dim[d];                                                                                        \
        if (c->category == DERIVED_TYPE)                                                                                               \
          *addendum_at(x, c->rank) = *addendum_at(y, c->rank);                                                                         \
      } else if (c->category == DERIVED_TYPE && is_deep(c->derived.type)) {                                                            \
        for (size_t k = 0, n = component_elements(c); k < n; k++)                                                                      \
          next(at + k * c->derived.type->bytes, source + k * c->derived.type->bytes, c->derived.type);                                 \
      } else {                                                                                                                         \
        move_component(at, source, c, component_elements(c));                                                                          \
      }                                                                                                                                \
    }                                                                                                                                  \
    UNROLL                                                                                                                             \
    for (int i = 0; i < t->pointers.dim.extent; i++) {                                                                                 \
      const procedure_pointer *p = (const procedure_pointer *)t->pointers.base + i;                                                    \
      *(const char **)(to + p->offset) = *(const char *const *)(from + p->offset);                                                     \
    }                                                                                                                                  \
  }
static __attribute__((noinline, unused)) void COPY(copy_any, copy_any, destroy_any, initialize_any)
INLINE void COPY(copy_inner, copy_any, destroy_any, initialize_any)
INLINE void COPY(copy_object, copy_inner, destroy_inner, initialize_inner)

INLINE void initialize_all(descriptor *x) {
  const derived_type *t = type_of(x);
  if (t && !t->needs_no_initialization)
    for (size_t k = 0, n = elements(x); k < n; k++)
      initialize_object(x->base + element_offset(x, k), t);
}

INLINE void destroy_all(const descriptor *x, bool finalize) {
  const derived_type *t = type_of(x);
  if (!t)
    return;
  if (finalize)
    refuse_final(t);
  if (is_deep(t))
    for (size_t k = 0, n = elements(x); k < n; k++)
      destroy_object(x->base + element_offset(x, k), t);
}

// Copies all objects to others, which are initialised where `is_new` does not say that they are to be; `from` has as many, or is one.
INLINE void copy_objects(char *to_base, const descriptor *to, const char *from_base, const descriptor *from, const derived_type *t, bool is_new) {
  for (size_t k = 0, n = elements(to); k < n; k++) {
    char *object = to_base + element_offset(to, k);
    if (is_new)
      initialize_object(object, t);
    copy_object(object, from_base + (from->rank ? element_offset(from, k) : 0), t);
  }
}

#endif
