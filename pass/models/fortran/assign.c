// Assignment of arrays and scalars of one type, as flang's library does it: the left side is allocated anew where it is allocatable and
// has another shape, and what overlaps goes through a copy. Conversions of types are the compiler's.

#include "objects.h"

enum {
  MAY_REALLOCATE = 1,
  FINALIZES = 2,
  MAY_BE_DEFINED = 4, // components, by their types
  EXPLICIT_LENGTH = 16,
  POLYMORPHIC = 32,
};

INLINE void move_elements(char *to_base, const descriptor *to, const char *from_base, const descriptor *from, int type, bool is_new,
                          int flags, bool backwards) {
  const derived_type *t = type_of(from);
  bool defined = flags & MAY_BE_DEFINED && adcc_file_has_assignment();
  if (has_parts(t, defined)) {
    copy_objects(to_base, to, from_base, from, t, is_new, defined, backwards);
    return;
  }
  size_t n = column_length(to), many = columns(to);
  bool is_one = from->rank == 0;
  ptrdiff_t to_stride = column_stride(to), from_stride = is_one ? 0 : column_stride(from);
  if (!t && is_character(type)) {
    for (size_t k = 0; k < many; k++) {
      char *at = to_base + column_offset(to, k);
      const char *source = from_base + (is_one ? 0 : column_offset(from, k));
      move_text(at, to_stride, source, from_stride, n, to->length, from->length, width_of(type));
    }
    return;
  }
  move_all(to_base, to, from_base, from, type, from->length);
}

// Where the memory of an array begins and ends, from its base.
INLINE void find_span(const descriptor *x, ptrdiff_t *begin, ptrdiff_t *end) {
  ptrdiff_t least = 0, most = (ptrdiff_t)x->length;
  EACH(d, x->rank) {
    ptrdiff_t reach = (x->dim[d].extent - 1) * x->dim[d].stride;
    if (reach < 0)
      least += reach;
    else
      most += reach;
  }
  *begin = least;
  *end = most;
}

INLINE bool have_common_memory(const descriptor *to, const descriptor *from) {
  ptrdiff_t to_begin, to_end, from_begin, from_end;
  find_span(to, &to_begin, &to_end);
  find_span(from, &from_begin, &from_end);
  uintptr_t left = (uintptr_t)to->base, right = (uintptr_t)from->base;
  return left + (uintptr_t)to_begin < right + (uintptr_t)from_end && right + (uintptr_t)from_begin < left + (uintptr_t)to_end;
}

// Whether elements of one may be overwritten before they are read from the other: not where each is its own.
INLINE bool may_overlap(const descriptor *to, const descriptor *from) {
  if (from->rank == 0 || to->rank == 0)
    return false;
  bool is_same = to->base == from->base && to->length == from->length;
  EACH(d, from->rank) {
    if (to->dim[d].extent == 0)
      return false;
    if (to->dim[d].stride != from->dim[d].stride && to->dim[d].extent != 1)
      is_same = false;
  }
  return !is_same && have_common_memory(to, from);
}

// Whether the left side keeps its memory.
INLINE bool fits(const descriptor *to, const descriptor *from, int flags) {
  if (to->type != from->type || (is_character(from->type) && !(flags & EXPLICIT_LENGTH) && to->length != from->length))
    return false;
  if (flags & POLYMORPHIC && type_of(to) != type_of(from))
    return false;
  if (from->rank > 0)
    EACH(d, from->rank) {
      if (to->dim[d].extent != from->dim[d].extent)
        return false;
    }
  return true;
}

INLINE char *memory_for(size_t bytes, const char *file, int line) {
  char *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    _FortranAReportFatalUserError("Assign: no memory", file, line);
  return memory;
}

// Whether the left side is the right one, moved towards the end: then the last element is free to be overwritten first.
INLINE bool is_moved_up(const descriptor *to, const descriptor *from) {
  bool is_shift = to->rank == from->rank && to->base > from->base;
  ptrdiff_t least = 0;
  EACH(d, from->rank) {
    is_shift = is_shift && to->dim[d].stride == from->dim[d].stride && to->dim[d].stride >= least;
    least = from->dim[d].stride * from->dim[d].extent;
  }
  return is_shift;
}
INLINE bool is_moved_down(const descriptor *to, const descriptor *from) {
  return to->base < from->base && is_moved_up(from, to);
}

// The left side keeps its memory.
INLINE void assign_in_place(descriptor *to, const descriptor *from, const char *file, int line, int flags) {
  int type = from->type;
  const derived_type *t = type_of(from);
  bool is_final = t && flags & FINALIZES && !t->needs_no_finalization;
  bool is_defined = t && flags & MAY_BE_DEFINED && !t->has_no_assignment && adcc_file_has_assignment();
  if ((is_final || is_defined) && have_common_memory(to, from) && (is_final || from->rank == 0))
    _FortranAReportFatalUserError("adcc: where a procedure takes part, assignment of objects to themselves is not differentiated", file, line);
  if (is_final)
    finalize(to, t);
  bool backwards = false;
  if (may_overlap(to, from)) {
    backwards = is_moved_up(to, from);
    if (!has_parts(t, flags & MAY_BE_DEFINED)) {
      char *copy = memory_for(elements(from) * from->length, file, line);
      gather(copy, from->base, from, type, from->length);
      scatter(to->base, to, copy, type, from->length);
      free(copy);
      return;
    }
    if (!backwards && !is_moved_down(to, from)) {
      if (is_defined)
        _FortranAReportFatalUserError("adcc: where a procedure takes part, assignment of objects to themselves is not differentiated", file, line);
      size_t n = elements(from);
      char *copy = memory_for(n * from->length, file, line);
      for (size_t k = 0; k < n; k++) {
        initialize_any(copy + k * from->length, t);
        copy_any(copy + k * from->length, from->base + element_offset(from, k), t, false);
      }
      for (size_t k = 0; k < n; k++) {
        copy_any(to->base + element_offset(to, k), copy + k * from->length, t, false);
        destroy_any(copy + k * from->length, t);
      }
      free(copy);
      return;
    }
  }
  move_elements(to->base, to, from->base, from, type, false, flags, backwards);
}

// What of x matters where values of an array of this rank are assigned to it.
INLINE void show_as(descriptor *y, const descriptor *x, int rank) {
  establish(y, x->type, x->length, rank, x->attribute);
  y->base = x->base;
  EACH(d, rank) {
    y->dim[d].lower = x->dim[d].lower;
    y->dim[d].extent = x->dim[d].extent;
    y->dim[d].stride = x->dim[d].stride;
  }
}

INLINE void assign(descriptor *to, const descriptor *from, const char *file, int line, int flags) {
  int type = from->type;
  // Of a component of an object on the heap, only the right side shows the rank.
  bool is_shown = __builtin_constant_p(from->rank) && from->rank > 0;
  char *old = to->base;
  bool is_allocatable = to->attribute == ALLOCATABLE && flags & MAY_REALLOCATE;
  if (old && (!is_allocatable || fits(to, from, flags))) {
    bool is_as_long = from->rank == 0 || to->rank == from->rank;
    if (from->rank > 0)
      EACH(d, from->rank) {
        if (to->dim[d].extent != from->dim[d].extent)
          is_as_long = false;
      }
    if (!is_as_long)
      _FortranAReportFatalUserError("Assign: mismatching element counts in array assignment", file, line);
    if (is_shown) {
      descriptor left;
      show_as(&left, to, from->rank);
      assign_in_place(&left, from, file, line, flags);
    } else {
      assign_in_place(to, from, file, line, flags);
    }
    return;
  }
  if (!is_allocatable)
    _FortranAReportFatalUserError("Assign: left-hand side variable is neither allocated nor allocatable", file, line);
  if (!old && from->rank == 0 && to->rank != 0)
    _FortranAReportFatalUserError("Assign: mismatched ranks in assignment to unallocated allocatable", file, line);
  // What is no object has none on the left, either, unless that is polymorphic.
  const derived_type *t = type_of(from), *old_type = t || flags & POLYMORPHIC ? type_of(to) : 0;
  size_t old_length = to->length, old_elements = is_deep(old_type) ? elements(to) : 0;
  if (old && old_type && flags & FINALIZES)
    finalize(to, old_type);
  if (!(flags & EXPLICIT_LENGTH))
    to->length = from->length;
  to->type = (signed char)type;
  if (t) {
    to->extra |= HAS_ADDENDUM;
    addendum_of(to)->type = t;
  } else if (flags & POLYMORPHIC && to->extra & HAS_ADDENDUM) {
    addendum_of(to)->type = 0;
  }
  if (from->rank > 0)
    EACH(d, from->rank) {
      ptrdiff_t extent = from->dim[d].extent;
      to->dim[d].lower = extent > 0 ? from->dim[d].lower : 1;
      to->dim[d].extent = extent;
    }
  char *memory;
  if (is_shown) {
    descriptor left;
    show_as(&left, to, from->rank);
    make_contiguous(&left);
    memory = memory_for(elements(&left) * left.length, file, line);
    move_elements(memory, &left, from->base, from, type, true, flags, false);
    EACH(d, from->rank) to->dim[d].stride = left.dim[d].stride;
  } else {
    make_contiguous(to);
    memory = memory_for(elements(to) * to->length, file, line);
    move_elements(memory, to, from->base, from, type, true, flags, false);
  }
  if (old) {
    if (is_deep(old_type))
      for (size_t k = 0; k < old_elements; k++)
        destroy_object(old + k * old_length, old_type);
    free(old);
  }
  to->base = memory;
}

void MODEL(_FortranAAssign)(descriptor *to, const descriptor *from, const char *file, int line) {
  assign(to, from, file, line, MAY_REALLOCATE | FINALIZES | MAY_BE_DEFINED);
}
void MODEL(_FortranAAssignTemporary)(descriptor *to, const descriptor *from, const char *file, int line) {
  // Where values are no objects, what they go to held none: it is a component of a new object, or a variable of the compiler.
  bool is_object = type_of(from);
  if (is_object && to->base)
    initialize_all(to);
  assign(to, from, file, line, is_object ? MAY_REALLOCATE | POLYMORPHIC : MAY_REALLOCATE);
}
void MODEL(_FortranAAssignExplicitLengthCharacter)(descriptor *to, const descriptor *from, const char *file, int line) {
  assign(to, from, file, line, MAY_REALLOCATE | FINALIZES | MAY_BE_DEFINED | EXPLICIT_LENGTH);
}
void MODEL(_FortranAAssignPolymorphic)(descriptor *to, const descriptor *from, const char *file, int line) {
  assign(to, from, file, line, MAY_REALLOCATE | FINALIZES | MAY_BE_DEFINED | POLYMORPHIC);
}

// A contiguous copy for a call, and its values back to where they came from.
void MODEL(_FortranACopyInAssign)(descriptor *copy, const descriptor *x, const char *file, int line) {
  establish(copy, x->type, x->length, x->rank, ALLOCATABLE);
  EACH(d, x->rank) {
    copy->dim[d].lower = x->dim[d].lower;
    copy->dim[d].extent = x->dim[d].extent;
  }
  if (x->extra & HAS_ADDENDUM) {
    copy->extra |= HAS_ADDENDUM;
    *addendum_of(copy) = *addendum_of(x);
  }
  make_contiguous(copy);
  size_t bytes = elements(x) * x->length;
  char *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    _FortranAReportFatalUserError("CopyInAssign: no memory", file, line);
  gather(memory, x->base, x, x->type, x->length);
  copy->base = memory;
}
void MODEL(_FortranACopyOutAssign)(descriptor *x, descriptor *copy, const char *file, int line) {
  (void)file, (void)line;
  if (x)
    scatter(x->base, x, copy->base, copy->type, copy->length);
  free(copy->base);
  copy->base = 0;
}
