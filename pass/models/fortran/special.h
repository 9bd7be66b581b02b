// Procedures that the runtime calls for a type: its final procedures, and assignments that are bound to it.
//
// Where a call shows the type, the procedure is a constant. Otherwise it is found when the program runs, among the procedures of this
// file. Where the file's types have none, no call through a pointer is left, which any procedure could be the target of.

#ifndef ADCC_SPECIAL_H
#define ADCC_SPECIAL_H

#include "derived.h"

enum purpose { SCALAR_ASSIGNMENT = 1, ELEMENTAL_ASSIGNMENT = 2, ELEMENTAL_FINAL = 7, FINAL_OF_ANY_RANK, FINAL_OF_SCALARS };

typedef void (*of_one)(void *);
typedef void (*of_two)(void *, const void *);

typedef struct {
  unsigned char purpose, descriptors, bound;
  bool is_contiguous; // needs a contiguous array
  void (*procedure)(void);
} special;
_Static_assert(sizeof(special) == 16, "as flang has it");

INLINE bool has_special(const derived_type *t, int purpose) { return t->special_set >> purpose & 1; }

// They are in the order of their purposes.
INLINE const special *special_of(const derived_type *t, int purpose) {
  int before = __builtin_popcount((unsigned)t->special_set & ((1u << purpose) - 1));
  return (const special *)t->special.base + before;
}

// Whether a type of this file has a procedure for one of these purposes: the pass puts a constant in place of the call.
#ifdef ADCC_BESIDE_LIBRARY
INLINE bool adcc_file_has_final(void) { return true; }
INLINE bool adcc_file_has_assignment(void) { return true; }
INLINE bool adcc_file_has_final_extension(void) { return true; }
#else
bool adcc_file_has_final(void);
bool adcc_file_has_assignment(void);
// Whether one of its types extends another, and objects of it are finalized.
bool adcc_file_has_final_extension(void);
#endif

static __attribute__((noinline, unused)) void call_unknown(of_one procedure, void *x) { procedure(x); }
static __attribute__((noinline, unused)) void assign_unknown(of_two procedure, void *to, const void *from) { procedure(to, from); }
INLINE void refuse_assignment(const derived_type *t) {
  if (!adcc_file_has_assignment() && t->special_set & (1 << SCALAR_ASSIGNMENT | 1 << ELEMENTAL_ASSIGNMENT))
    _FortranAReportFatalUserError("adcc: assignments that types of other files define are not differentiated", 0, 0);
}

INLINE void call_final(const derived_type *t, const special *s, void *x) {
  if (__builtin_constant_p(t->special_set))
    ((of_one)s->procedure)(x);
  else
    call_unknown((of_one)s->procedure, x);
}

// The same objects as ones of type t.
INLINE void describe_as(descriptor *y, const descriptor *x, const derived_type *t, int rank) {
  establish(y, DERIVED, t->bytes, rank, POINTER);
  y->base = x->base;
  y->extra = HAS_ADDENDUM;
  EACH(d, rank) y->dim[d] = x->dim[d];
  addendum_of(y)->type = t;
}

INLINE bool is_whole(const descriptor *x) {
  ptrdiff_t stride = (ptrdiff_t)x->length;
  bool is_one = true;
  EACH(d, x->rank) {
    is_one = is_one && (x->dim[d].stride == stride || x->dim[d].extent == 1);
    stride *= x->dim[d].extent;
  }
  return is_one || elements(x) == 0;
}

// Calls the type's own procedure for these objects: for their rank, for any rank, or for each.
INLINE void finalize_own(const descriptor *x, const derived_type *t) {
  int purpose = FINAL_OF_SCALARS + x->rank;
  if (!has_special(t, purpose))
    purpose = has_special(t, FINAL_OF_ANY_RANK) ? FINAL_OF_ANY_RANK : ELEMENTAL_FINAL;
  if (!has_special(t, purpose))
    return;
  const special *s = special_of(t, purpose);
  descriptor y;
  if (purpose == ELEMENTAL_FINAL) {
    for (size_t k = 0, n = elements(x); k < n; k++) {
      char *at = x->base + element_offset(x, k);
      if (s->descriptors & 1) {
        describe_as(&y, x, t, 0);
        y.base = at;
        call_final(t, s, &y);
      } else {
        call_final(t, s, at);
      }
    }
    return;
  }
  describe_as(&y, x, t, x->rank);
  bool is_copy = s->is_contiguous && !is_whole(x);
  if (is_copy && !__builtin_constant_p(t->special_set))
    _FortranAReportFatalUserError("adcc: the final procedure of a section of polymorphic objects is not differentiated", 0, 0);
  if (is_copy) {
    char *copy = malloc(elements(x) * x->length);
    if (!copy)
      _FortranAReportFatalUserError("no memory for a copy that is finalized", 0, 0);
    gather(copy, x->base, x, DERIVED, x->length);
    y.base = copy;
    y.length = x->length;
    make_contiguous(&y);
  }
  if (s->descriptors & 1)
    call_final(t, s, &y);
  else
    call_final(t, s, y.base);
  if (is_copy) {
    scatter(x->base, x, y.base, DERIVED, x->length);
    free(y.base);
  }
}

// The component of an object as an array of its own.
INLINE void describe_component(descriptor *y, char *at, const component *c) {
  const derived_type *t = c->derived.type;
  establish(y, DERIVED, t->bytes, c->rank, POINTER);
  y->base = at;
  y->extra = HAS_ADDENDUM;
  addendum_of(y)->type = t;
  EACH(d, c->rank) {
    int64_t lower = c->bounds.base[2 * d].value, upper = c->bounds.base[2 * d + 1].value;
    y->dim[d].lower = 1;
    y->dim[d].extent = upper >= lower ? upper - lower + 1 : 0;
  }
  make_contiguous(y);
}

INLINE const derived_type *parent_of(const derived_type *t) {
  return t->has_parent ? ((const component *)t->components.base)->derived.type : 0;
}

INLINE void refuse_final(void) {
  _FortranAReportFatalUserError("adcc: final procedures of types of other files are not differentiated", 0, 0);
}

// Objects are finalized before their components, these before the parent, which has the rank of the objects.
#define FINALIZE(level, next)                                                                                                          \
  level(const descriptor *x, const derived_type *t) {                                                                                  \
    finalize_own(x, t);                                                                                                                \
    const derived_type *parent = parent_of(t);                                                                                         \
    bool has_final_parent = parent && !parent->needs_no_finalization;                                                                  \
    EACH_COMPONENT(c, t) {                                                                                                             \
      if (c->category != DERIVED_TYPE || (has_final_parent && c == (const component *)t->components.base))                             \
        continue;                                                                                                                      \
      if (c->genre == ALLOCATABLE_COMPONENT) {                                                                                         \
        for (size_t k = 0, n = elements(x); k < n; k++) {                                                                              \
          const descriptor *d = (const descriptor *)(x->base + element_offset(x, k) + c->offset);                                      \
          const derived_type *in = d->base ? addendum_at(d, c->rank)->type : 0, *declared = c->derived.type;                           \
          if (!in || in->needs_no_finalization)                                                                                        \
            continue;                                                                                                                  \
          if (declared && !adcc_file_has_final_extension()) {                                                                          \
            if (in != declared)                                                                                                        \
              refuse_final();                                                                                                          \
            if (declared->needs_no_finalization)                                                                                       \
              continue;                                                                                                                \
            in = declared;                                                                                                             \
          }                                                                                                                            \
          next(d, in);                                                                                                                 \
        }                                                                                                                              \
      } else if (c->genre == DATA && c->derived.type && !c->derived.type->needs_no_finalization) {                                     \
        for (size_t k = 0, n = elements(x); k < n; k++) {                                                                              \
          descriptor d;                                                                                                                \
          describe_component(&d, x->base + element_offset(x, k) + c->offset, c);                                                       \
          next(&d, c->derived.type);                                                                                                   \
        }                                                                                                                              \
      }                                                                                                                                \
    }                                                                                                                                  \
    if (has_final_parent) {                                                                                                            \
      descriptor d;                                                                                                                    \
      describe_as(&d, x, parent, x->rank);                                                                                             \
      next(&d, parent);                                                                                                                \
    }                                                                                                                                  \
  }
static __attribute__((noinline, unused)) void FINALIZE(finalize_any, finalize_any)
INLINE void FINALIZE(finalize_inner, finalize_any)
INLINE void FINALIZE(finalize_outer, finalize_inner)

// Where no type of this file has final procedures, those of other files end the program.
static __attribute__((noinline, unused)) void refuse_final_any(const derived_type *t) {
  if (t->special_set >> ELEMENTAL_FINAL)
    refuse_final();
  EACH_COMPONENT(c, t)
  if (c->genre == DATA && c->category == DERIVED_TYPE && c->derived.type && !c->derived.type->needs_no_finalization)
    refuse_final_any(c->derived.type);
}
INLINE void finalize(const descriptor *x, const derived_type *t) {
  if (t->needs_no_finalization || !x->base)
    return;
  if (!adcc_file_has_final())
    refuse_final_any(t);
  else if (IS_SHOWN(t))
    finalize_outer(x, t);
  else
    finalize_any(x, t);
}

// Assigns objects by a procedure that is bound to their type; whether there is one for arrays of this rank.
INLINE bool has_own_assignment(const derived_type *t, int rank) {
  return adcc_file_has_assignment() && ((rank == 0 && has_special(t, SCALAR_ASSIGNMENT)) || has_special(t, ELEMENTAL_ASSIGNMENT));
}
INLINE void assign_by_procedure(char *to, const char *from, const derived_type *t, int rank) {
  const special *s = special_of(t, rank == 0 && has_special(t, SCALAR_ASSIGNMENT) ? SCALAR_ASSIGNMENT : ELEMENTAL_ASSIGNMENT);
  descriptor x, y;
  void *left = to;
  const void *right = from;
  if (s->descriptors & 1) {
    establish(&x, DERIVED, t->bytes, 0, POINTER);
    x.base = to;
    x.extra = HAS_ADDENDUM;
    addendum_of(&x)->type = t;
    left = &x;
  }
  if (s->descriptors & 2) {
    establish(&y, DERIVED, t->bytes, 0, POINTER);
    y.base = (char *)from;
    y.extra = HAS_ADDENDUM;
    addendum_of(&y)->type = t;
    right = &y;
  }
  if (__builtin_constant_p(t->special_set))
    ((of_two)s->procedure)(left, right);
  else
    assign_unknown((of_two)s->procedure, left, right);
}

#endif
