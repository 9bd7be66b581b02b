// Allocatables and pointers of flang: bounds, allocation, deallocation, association. Memory comes from where the library takes it, and
// goes back there: either may free what the other has allocated.

#include "objects.h"

// Codes of `stat=`.
enum { OK, BASE_NULL = 11, BASE_NOT_NULL = 12, NO_MEMORY = 19, SAME_ALLOCATABLE = 109, NOT_WHOLE = 110 };

// The library's: memory of a pointer ends with a mark.
void *AllocateValidatedPointerPayload(size_t bytes, int allocator);
bool ValidatePointerPayload(const descriptor *);

// Puts a message into a character variable.
INLINE void explain(const descriptor *message, const char *text, size_t length) {
  for (size_t i = 0; i < message->length; i++)
    message->base[i] = i < length ? text[i] : ' ';
}

// An error: its code, or the end of the program where nobody asks.
#define FAIL(code, text)                                                                                                               \
  do {                                                                                                                                 \
    if (!has_stat)                                                                                                                     \
      _FortranAReportFatalUserError(text, file, line);                                                                                 \
    if (message && message->base)                                                                                                      \
      explain(message, text, sizeof text - 1);                                                                                         \
    return code;                                                                                                                       \
  } while (0)

static const char is_null[] = "Base address is null", is_not_null[] = "Base address is not null",
                  no_memory[] = "Memory allocation failed", same[] = "MOVE_ALLOC passed the same address as to and from",
                  not_whole[] = "DEALLOCATE of a pointer that is not the whole content of a pointer ALLOCATE";

INLINE void begin(descriptor *x, enum category category, int kind, int rank, unsigned char attribute) {
  establish(x, code_of(category, kind), bytes_of(category, kind), rank, attribute);
}
INLINE void begin_character(descriptor *x, ptrdiff_t length, int kind, int rank, unsigned char attribute) {
  establish(x, code_of(CHARACTER, kind), (size_t)length * (size_t)kind, rank, attribute);
}
INLINE void begin_derived(descriptor *x, const derived_type *type, int rank, unsigned char attribute) {
  establish(x, DERIVED, type->bytes, rank, attribute);
  x->extra = HAS_ADDENDUM;
  addendum_of(x)->type = type;
}

void MODEL(_FortranAAllocatableInitIntrinsic)(descriptor *x, enum category category, int kind, int rank, int corank) {
  (void)corank;
  begin(x, category, kind, rank, ALLOCATABLE);
}
void MODEL(_FortranAAllocatableInitCharacter)(descriptor *x, ptrdiff_t length, int kind, int rank, int corank) {
  (void)corank;
  begin_character(x, length, kind, rank, ALLOCATABLE);
}
void MODEL(_FortranAAllocatableInitDerived)(descriptor *x, const derived_type *type, int rank, int corank) {
  (void)corank;
  begin_derived(x, type, rank, ALLOCATABLE);
}
void MODEL(_FortranAAllocatableInitIntrinsicForAllocate)(descriptor *x, enum category category, int kind, int rank, int corank) {
  (void)corank;
  if (!x->base)
    begin(x, category, kind, rank, ALLOCATABLE);
}
void MODEL(_FortranAAllocatableInitCharacterForAllocate)(descriptor *x, ptrdiff_t length, int kind, int rank, int corank) {
  (void)corank;
  if (!x->base)
    begin_character(x, length, kind, rank, ALLOCATABLE);
}
void MODEL(_FortranAAllocatableInitDerivedForAllocate)(descriptor *x, const derived_type *type, int rank, int corank) {
  (void)corank;
  if (!x->base)
    begin_derived(x, type, rank, ALLOCATABLE);
}
void MODEL(_FortranAPointerNullifyIntrinsic)(descriptor *x, enum category category, int kind, int rank, int corank) {
  (void)corank;
  begin(x, category, kind, rank, POINTER);
}
void MODEL(_FortranAPointerNullifyCharacter)(descriptor *x, ptrdiff_t length, int kind, int rank, int corank) {
  (void)corank;
  begin_character(x, length, kind, rank, POINTER);
}
void MODEL(_FortranAPointerNullifyDerived)(descriptor *x, const derived_type *type, int rank, int corank) {
  (void)corank;
  begin_derived(x, type, rank, POINTER);
}

INLINE void set_bounds(descriptor *x, int dim, ptrdiff_t lower, ptrdiff_t upper) {
  ptrdiff_t extent = upper >= lower ? upper - lower + 1 : 0;
  x->dim[dim].lower = extent > 0 ? lower : 1;
  x->dim[dim].extent = extent;
}

void MODEL(_FortranAAllocatableSetBounds)(descriptor *x, int dim, ptrdiff_t lower, ptrdiff_t upper) {
  // Allocation says that it is allocated already.
  if (!x->base)
    set_bounds(x, dim, lower, upper);
}
void MODEL(_FortranAPointerSetBounds)(descriptor *x, int dim, ptrdiff_t lower, ptrdiff_t upper) { set_bounds(x, dim, lower, upper); }

// Takes over the type of another object, which may be polymorphic.
INLINE void apply_mold(descriptor *x, const descriptor *mold, int rank) {
  x->length = mold->length;
  x->type = mold->type;
  x->rank = (unsigned char)rank;
  if (mold->extra & HAS_ADDENDUM) {
    x->extra |= HAS_ADDENDUM;
    *addendum_of(x) = *addendum_of(mold);
  }
  // Bounds given beside the mold come after it.
  if (rank == mold->rank)
    EACH(d, rank) {
      x->dim[d].lower = mold->dim[d].lower;
      x->dim[d].extent = mold->dim[d].extent;
    }
}
void MODEL(_FortranAAllocatableApplyMold)(descriptor *x, const descriptor *mold, int rank) {
  if (!x->base)
    apply_mold(x, mold, rank);
}
void MODEL(_FortranAPointerApplyMold)(descriptor *x, const descriptor *mold, int rank) { apply_mold(x, mold, rank); }

INLINE size_t bytes_needed(const descriptor *x) {
  size_t bytes = elements(x) * x->length;
  return bytes ? bytes : 1;
}

int MODEL(_FortranAAllocatableAllocate)(descriptor *x, int64_t *queue, bool has_stat, const descriptor *message, const char *file, int line,
                                        void *copy) {
  (void)queue, (void)copy;
  if (x->base)
    FAIL(BASE_NOT_NULL, is_not_null);
  char *memory = malloc(bytes_needed(x));
  if (!memory)
    FAIL(NO_MEMORY, no_memory);
  x->base = memory;
  make_contiguous(x);
  initialize_all(x);
  return OK;
}
int MODEL(_FortranAPointerAllocate)(descriptor *x, bool has_stat, const descriptor *message, const char *file, int line, void *copy) {
  (void)copy;
  char *memory = AllocateValidatedPointerPayload(elements(x) * x->length, 0);
  if (!memory)
    FAIL(NO_MEMORY, no_memory);
  x->base = memory;
  make_contiguous(x);
  initialize_all(x);
  return OK;
}

// The source has the shape of what was allocated, or is one for all.
INLINE void fill(descriptor *x, const descriptor *source) {
  const derived_type *t = type_of(source);
  if (is_deep(t))
    copy_objects(x->base, x, source->base, source, t, true, false, false);
  else if (source->rank == 0)
    move_all(x->base, x, source->base, source, source->type, x->length);
  else
    gather(x->base, source->base, source, source->type, x->length);
}
int MODEL(_FortranAAllocatableAllocateSource)(descriptor *x, const descriptor *source, bool has_stat, const descriptor *message,
                                              const char *file, int line) {
  if (x->base)
    FAIL(BASE_NOT_NULL, is_not_null);
  char *memory = malloc(bytes_needed(x));
  if (!memory)
    FAIL(NO_MEMORY, no_memory);
  x->base = memory;
  make_contiguous(x);
  fill(x, source);
  return OK;
}
int MODEL(_FortranAPointerAllocateSource)(descriptor *x, const descriptor *source, bool has_stat, const descriptor *message,
                                          const char *file, int line) {
  char *memory = AllocateValidatedPointerPayload(elements(x) * x->length, 0);
  if (!memory)
    FAIL(NO_MEMORY, no_memory);
  x->base = memory;
  make_contiguous(x);
  fill(x, source);
  return OK;
}

// Gives a polymorphic object its declared type again, if it has one.
INLINE void declare_again(descriptor *x, const derived_type *type) {
  if (type) {
    x->extra |= HAS_ADDENDUM;
    x->length = type->bytes;
    addendum_of(x)->type = type;
  } else {
    addendum *old = addendum_of(x);
    if (old)
      old->type = 0;
  }
}

int MODEL(_FortranAAllocatableDeallocate)(descriptor *x, bool has_stat, const descriptor *message, const char *file, int line) {
  if (!x->base)
    FAIL(BASE_NULL, is_null);
  destroy_all(x, true);
  free(x->base);
  x->base = 0;
  return OK;
}
int MODEL(_FortranAAllocatableDeallocatePolymorphic)(descriptor *x, const derived_type *type, bool has_stat, const descriptor *message,
                                                     const char *file, int line) {
  if (!x->base)
    FAIL(BASE_NULL, is_null);
  destroy_all(x, true);
  free(x->base);
  x->base = 0;
  declare_again(x, type);
  return OK;
}
void MODEL(_FortranAAllocatableDeallocateNoFinal)(descriptor *x, const char *file, int line) {
  if (!x->base)
    _FortranAReportFatalUserError(is_null, file, line);
  destroy_all(x, false);
  free(x->base);
  x->base = 0;
}
int MODEL(_FortranAPointerDeallocate)(descriptor *x, bool has_stat, const descriptor *message, const char *file, int line) {
  if (!x->base)
    FAIL(BASE_NULL, is_null);
  if (!ValidatePointerPayload(x))
    FAIL(NOT_WHOLE, not_whole);
  destroy_all(x, true);
  free(x->base);
  x->base = 0;
  return OK;
}
int MODEL(_FortranAPointerDeallocatePolymorphic)(descriptor *x, const derived_type *type, bool has_stat, const descriptor *message,
                                                 const char *file, int line) {
  if (!x->base)
    FAIL(BASE_NULL, is_null);
  if (!ValidatePointerPayload(x))
    FAIL(NOT_WHOLE, not_whole);
  destroy_all(x, true);
  free(x->base);
  x->base = 0;
  declare_again(x, type);
  return OK;
}

// x becomes a second name of what y describes; its attribute stays.
INLINE void describe(descriptor *x, const descriptor *y) {
  x->base = y->base;
  x->length = y->length;
  x->type = y->type;
  x->rank = y->rank;
  EACH(d, y->rank) x->dim[d] = y->dim[d];
  if (y->extra & HAS_ADDENDUM) {
    x->extra |= HAS_ADDENDUM;
    *addendum_of(x) = *addendum_of(y);
  }
}

// A second descriptor of the same memory, for an argument: of another dynamic type if one is given, and with other lower bounds.
enum { PRESERVE, ONES, ZEROES };
void MODEL(_FortranACopyAndUpdateDescriptor)(descriptor *to, const descriptor *from, const derived_type *type, signed char attribute,
                                             int bounds) {
  to->version = from->version;
  to->extra = from->extra;
  to->attribute = (unsigned char)attribute;
  describe(to, from);
  if (type) {
    addendum_of(to)->type = type;
    to->length = type->bytes;
  }
  if (bounds != PRESERVE)
    EACH(d, from->rank) to->dim[d].lower = bounds == ONES ? 1 : 0;
}

int MODEL(_FortranAMoveAlloc)(descriptor *to, descriptor *from, const derived_type *type, bool has_stat, const descriptor *message,
                              const char *file, int line) {
  if (to == from && from->base)
    FAIL(SAME_ALLOCATABLE, same);
  if (to->base) {
    destroy_all(to, true);
    free(to->base);
    to->base = 0;
  }
  if (from->base) {
    describe(to, from);
    from->base = 0;
    addendum *old = addendum_of(from);
    if (old)
      old->type = type;
  }
  return OK;
}

void MODEL(_FortranAPointerAssociateScalar)(descriptor *x, char *target) { x->base = target; }
void MODEL(_FortranAPointerAssociate)(descriptor *x, const descriptor *target) { describe(x, target); }

void MODEL(_FortranAPointerAssociateLowerBounds)(descriptor *x, const descriptor *target, const descriptor *bounds) {
  describe(x, target);
  EACH(d, target->rank)
  if (d < bounds->dim[0].extent)
    x->dim[d].lower = x->dim[d].extent ? integer_of(bounds->base + d * bounds->dim[0].stride, bounds->length) : 1;
}

// Another shape of contiguous elements, or of a vector's.
INLINE void remap(descriptor *x, const descriptor *target, const descriptor *bounds, const char *file, int line) {
  int rank = (int)bounds->dim[1].extent;
  x->base = target->base;
  x->length = target->length;
  x->type = target->type;
  x->rank = (unsigned char)rank;
  if (target->extra & HAS_ADDENDUM) {
    x->extra |= HAS_ADDENDUM;
    *addendum_of(x) = *addendum_of(target);
  }
  size_t stride = target->rank == 1 ? (size_t)target->dim[0].stride : target->length;
  EACH(d, rank) {
    ptrdiff_t lower = integer_of(bounds->base + d * bounds->dim[1].stride, bounds->length);
    ptrdiff_t upper = integer_of(bounds->base + bounds->dim[0].stride + d * bounds->dim[1].stride, bounds->length);
    ptrdiff_t extent = upper >= lower ? upper - lower + 1 : 0;
    x->dim[d].lower = extent > 0 ? lower : 1;
    x->dim[d].extent = extent;
    x->dim[d].stride = (ptrdiff_t)stride;
    stride *= (size_t)extent;
  }
  if (elements(x) > elements(target))
    _FortranAReportFatalUserError("PointerAssociateRemapping: too many elements in remapped pointer", file, line);
}
void MODEL(_FortranAPointerAssociateRemapping)(descriptor *x, const descriptor *target, const descriptor *bounds, const char *file,
                                               int line) {
  remap(x, target, bounds, file, line);
}
void MODEL(_FortranAPointerAssociateRemappingMonomorphic)(descriptor *x, const descriptor *target, const descriptor *bounds,
                                                          const char *file, int line) {
  remap(x, target, bounds, file, line);
}

bool MODEL(_FortranAPointerIsAssociated)(const descriptor *x) { return x->base != 0; }
bool MODEL(_FortranAPointerIsAssociatedWith)(const descriptor *x, const descriptor *target) {
  if (!target)
    return x->base != 0;
  if (!target->base || target->base != x->base || target->rank != x->rank || target->length != x->length)
    return false;
  bool is_same = elements(x) != 0 && x->length != 0;
  EACH(d, x->rank)
  if (x->dim[d].extent != target->dim[d].extent || (x->dim[d].stride != target->dim[d].stride && x->dim[d].extent != 1))
    is_same = false;
  return is_same;
}

void MODEL(_FortranAInitialize)(descriptor *x, const char *file, int line) {
  (void)file, (void)line;
  initialize_all(x);
}
void MODEL(_FortranADestroy)(const descriptor *x) {
  if (x->base)
    destroy_all(x, true);
}
void MODEL(_FortranADestroyWithoutFinalization)(const descriptor *x) {
  if (x->base)
    destroy_all(x, false);
}
void MODEL(_FortranAFinalize)(const descriptor *x, const char *file, int line) {
  const derived_type *t = type_of(x);
  (void)file, (void)line;
  if (t)
    finalize(x, t);
}

// Whether a type is another one or extends it: the parent is its first component.
INLINE bool extends(const derived_type *t, const derived_type *other) {
  while (t && t != other)
    t = t->has_parent ? ((const component *)t->components.base)->derived.type : 0;
  return t != 0;
}
bool MODEL(_FortranAClassIs)(const descriptor *x, const derived_type *type) { return extends(type_of(x), type); }
bool MODEL(_FortranASameTypeAs)(const descriptor *x, const descriptor *y) {
  return x->type == y->type && (x->type != DERIVED || type_of(x) == type_of(y));
}
bool MODEL(_FortranAExtendsTypeOf)(const descriptor *x, const descriptor *mold) {
  if (mold->type != DERIVED || !type_of(mold))
    return true;
  return x->type == DERIVED && extends(type_of(x), type_of(mold));
}
