// Objects of derived types and their allocatable components: what is freed with them and what is copied with them.

#ifndef ADCC_OBJECTS_H
#define ADCC_OBJECTS_H

#include "special.h"

// Whether a copy has to go component by component: allocatable ones, and those that a procedure assigns if `defined` says so.
INLINE bool has_parts(const derived_type *t, bool defined) {
  return is_deep(t) || ((defined || !adcc_file_has_assignment()) && t && !t->has_no_assignment);
}

// The type of a component: that of its declaration, but for class(*), whose own is looked up. Copied as a byte of an object, it would be
// data of which nothing is known.
INLINE void copy_code(descriptor *to, const descriptor *from, const component *c) {
  static const signed char codes[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                                      27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50};
  if (c->category == DERIVED_TYPE && !c->derived.type && from->type >= 0 && (size_t)from->type < sizeof codes)
    to->type = codes[(size_t)from->type];
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
static __attribute__((noinline, unused)) void DESTROY(destroy_any, destroy_any)
INLINE void DESTROY(destroy_inner, destroy_any)
INLINE void DESTROY(destroy_outer, destroy_inner)
INLINE void destroy_object(char *object, const derived_type *t) {
  if (IS_SHOWN(t))
    destroy_outer(object, t);
  else
    destroy_any(object, t);
}

// Copies to an object that is initialised, and what allocatable components lead to. With `defined`, components are assigned by the
// procedures that are bound to their types; allocatable ones are allocated anew before.
#define COPY(level, next, release, begin)                                                                                              \
  level(char *to, const char *from, const derived_type *t, bool defined) {                                                             \
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
        const derived_type *declared = c->category == DERIVED_TYPE ? c->derived.type : 0;                                              \
        if (defined && declared && !declared->has_no_assignment) {                                                                     \
          if (in && in != declared)                                                                                                    \
            _FortranAReportFatalUserError("adcc: assignments that extended types define are not differentiated", 0, 0);                \
          in = declared;                                                                                                               \
        }                                                                                                                              \
        bool by_procedure = defined && in && has_own_assignment(in, c->rank), is_deep_copy = has_parts(in, defined);                   \
        bool fits = x->base && y->base && x->length == y->length && x->type == y->type && in == old;                                   \
        fits = fits && !(defined && in && !in->has_no_assignment);                                                                     \
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
          copy_code(x, y, c);                                                                                                          \
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
        if (by_procedure)                                                                                                              \
          for (size_t k = 0; k < n; k++)                                                                                               \
            assign_by_procedure(x->base + k * y->length, y->base + k * y->length, in, c->rank);                                        \
        else if (is_deep_copy)                                                                                                         \
          for (size_t k = 0; k < n; k++)                                                                                               \
            next(x->base + k * y->length, y->base + k * y->length, in, defined);                                                       \
        else                                                                                                                           \
          move_along(x->base, (ptrdiff_t)y->length, y->base, (ptrdiff_t)y->length, n,                                                  \
                     code_of((enum category)c->category, c->kind), y->length);                                                         \
      } else if (c->genre == POINTER_COMPONENT) {                                                                                      \
        descriptor *x = (descriptor *)at;                                                                                              \
        const descriptor *y = (const descriptor *)source;                                                                              \
        x->base = y->base;                                                                                                             \
        x->length = y->length;                                                                                                         \
        copy_code(x, y, c);                                                                                                            \
        EACH(d, c->rank) x->dim[d] = y->dim[d];                                                                                        \
        if (c->category == DERIVED_TYPE)                                                                                               \
          *addendum_at(x, c->rank) = *addendum_at(y, c->rank);                                                                         \
      } else if (c->category == DERIVED_TYPE && has_parts(c->derived.type, defined)) {                                                 \
        bool by_procedure = defined && has_own_assignment(c->derived.type, c->rank);                                                   \
        for (size_t k = 0, n = component_elements(c), bytes = c->derived.type->bytes; k < n; k++)                                      \
          if (by_procedure)                                                                                                            \
            assign_by_procedure(at + k * bytes, source + k * bytes, c->derived.type, c->rank);                                         \
          else                                                                                                                         \
            next(at + k * bytes, source + k * bytes, c->derived.type, defined);                                                        \
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
INLINE void COPY(copy_outer, copy_inner, destroy_inner, initialize_inner)
INLINE void copy_object(char *to, const char *from, const derived_type *t, bool defined) {
  if (IS_SHOWN(t))
    copy_outer(to, from, t, defined);
  else
    copy_any(to, from, t, defined);
}

INLINE void initialize_all(descriptor *x) {
  const derived_type *t = type_of(x);
  if (t && !t->needs_no_initialization)
    for (size_t k = 0, n = elements(x); k < n; k++)
      initialize_object(x->base + element_offset(x, k), t);
}

INLINE void destroy_all(const descriptor *x, bool is_final) {
  const derived_type *t = type_of(x);
  if (!t)
    return;
  if (is_final)
    finalize(x, t);
  if (is_deep(t))
    for (size_t k = 0, n = elements(x); k < n; k++)
      destroy_object(x->base + element_offset(x, k), t);
}

// Copies all objects to others, which are initialised where `is_new` does not say that they are to be; `from` has as many, or is one.
// `backwards` begins with the last.
INLINE void copy_objects(char *to_base, const descriptor *to, const char *from_base, const descriptor *from, const derived_type *t,
                         bool is_new, bool defined, bool backwards) {
  for (size_t i = 0, n = elements(to); i < n; i++) {
    size_t k = backwards ? n - 1 - i : i;
    char *object = to_base + element_offset(to, k);
    if (is_new)
      initialize_object(object, t);
    copy_object(object, from_base + (from->rank ? element_offset(from, k) : 0), t, defined);
  }
}

// Moves n elements to new memory. What their allocatable components lead to is copied, as flang's library does it.
INLINE void place_along(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride, size_t n, const descriptor *x) {
  const derived_type *t = type_of(x);
  if (!is_deep(t)) {
    move_along(to, to_stride, from, from_stride, n, x->type, x->length);
    return;
  }
  for (size_t k = 0; k < n; k++) {
    char *object = to + (ptrdiff_t)k * to_stride;
    initialize_object(object, t);
    copy_object(object, from + (ptrdiff_t)k * from_stride, t, false);
  }
}

#endif
