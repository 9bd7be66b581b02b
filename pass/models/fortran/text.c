// Questions about texts, and copies of text. Texts are constants for derivatives: what matters is that these
// functions write nothing but what they are given, and that their loads are of characters.

#include "descriptor.h"

// Like memcmp, with the shorter text as if blanks followed. Characters are compared where they are: as values that a loop hands on, they
// would be data of which nothing is known.
#define COMPARE(symbol, character)                                                                                                         \
  int MODEL(symbol)(const character *x, const character *y, size_t length_x, size_t length_y) {                                              \
    size_t i = 0;                                                                                                                          \
    for (; i < length_x && i < length_y; ++i)                                                                                                \
      if (x[i] != y[i])                                                                                                                    \
        return x[i] < y[i] ? -1 : 1;                                                                                                       \
    size_t rest = i;                                                                                                                       \
    for (; i < length_x; ++i)                                                                                                               \
      if (x[i] != ' ')                                                                                                                     \
        return x[i] < ' ' ? -1 : 1;                                                                                                        \
    for (i = rest; i < length_y; ++i)                                                                                                       \
      if (y[i] != ' ')                                                                                                                     \
        return y[i] < ' ' ? 1 : -1;                                                                                                        \
    return 0;                                                                                                                              \
  }
COMPARE(_FortranACharacterCompareScalar1, unsigned char)
COMPARE(_FortranACharacterCompareScalar2, uint16_t)
COMPARE(_FortranACharacterCompareScalar4, uint32_t)

#define LENGTH(symbol, character)                                                                                                          \
  size_t MODEL(symbol)(const character *x, size_t length) {                                                                                \
    while (length > 0 && x[length - 1] == ' ')                                                                                             \
      --length;                                                                                                                            \
    return length;                                                                                                                         \
  }
LENGTH(_FortranALenTrim1, unsigned char)
LENGTH(_FortranALenTrim2, uint16_t)
LENGTH(_FortranALenTrim4, uint32_t)

// The first place, or with `back` the last, of a part in a text, counted from 1.
#define INDEX(symbol, character)                                                                                                           \
  size_t MODEL(symbol)(const character *x, size_t length, const character *part, size_t length_of_part, bool back) {                         \
    size_t found = 0;                                                                                                                      \
    for (size_t i = 0; i + length_of_part <= length && (back || found == 0); ++i) {                                                          \
      size_t same = 0;                                                                                                                     \
      while (same < length_of_part && x[i + same] == part[same])                                                                             \
        ++same;                                                                                                                            \
      if (same == length_of_part)                                                                                                            \
        found = i + 1;                                                                                                                     \
    }                                                                                                                                      \
    return found;                                                                                                                          \
  }
INDEX(_FortranAIndex1, unsigned char)
INDEX(_FortranAIndex2, uint16_t)
INDEX(_FortranAIndex4, uint32_t)

// The first place, or with `back` the last, of a character that is in a set, or that is not.
#define SEARCH(symbol, character, wanted)                                                                                                  \
  size_t MODEL(symbol)(const character *x, size_t length, const character *set, size_t length_of_set, bool back) {                           \
    for (size_t k = 0; k < length; ++k) {                                                                                                  \
      size_t i = back ? length - 1 - k : k;                                                                                                \
      bool is_in_set = false;                                                                                                                \
      for (size_t j = 0; j < length_of_set; ++j)                                                                                             \
        is_in_set = is_in_set || x[i] == set[j];                                                                                               \
      if (is_in_set == wanted)                                                                                                               \
        return i + 1;                                                                                                                      \
    }                                                                                                                                      \
    return 0;                                                                                                                              \
  }
SEARCH(_FortranAScan1, unsigned char, true)
SEARCH(_FortranAScan2, uint16_t, true)
SEARCH(_FortranAScan4, uint32_t, true)
SEARCH(_FortranAVerify1, unsigned char, false)
SEARCH(_FortranAVerify2, uint16_t, false)
SEARCH(_FortranAVerify4, uint32_t, false)

// Copies a text behind what is there, as far as there is room: the new length.
size_t MODEL(_FortranACharacterAppend1)(char *to, size_t room, size_t at, const char *from, size_t length) {
  size_t left = room > at ? room - at : 0, n = length < left ? length : left;
  __builtin_memcpy(to + at, from, n);
  return at + n;
}
void MODEL(_FortranACharacterPad1)(char *to, size_t room, size_t at) {
  if (room > at)
    __builtin_memset(to + at, ' ', room - at);
}

// Texts of any kind, as bytes.
INLINE bool is_blank(const char *at, int width) {
  return width == 1 ? *at == ' ' : width == 2 ? *(const uint16_t *)at == ' ' : *(const uint32_t *)at == ' ';
}
INLINE void put_blanks(char *at, size_t bytes, int width) {
  __builtin_memset(at, width == 1 ? ' ' : 0, bytes);
  for (size_t k = 0; width > 1 && k < bytes; k += (size_t)width)
    if (width == 2)
      *(uint16_t *)(at + k) = ' ';
    else
      *(uint32_t *)(at + k) = ' ';
}
// The bytes in front of trailing blanks, and those of leading blanks.
static __attribute__((noinline, unused)) size_t bytes_trimmed(const char *from, size_t length, int width) {
  while (length > 0 && is_blank(from + length - width, width))
    length -= (size_t)width;
  return length;
}
static __attribute__((noinline, unused)) size_t bytes_blank(const char *from, size_t length, int width) {
  size_t k = 0;
  while (k < length && is_blank(from + k, width))
    k += (size_t)width;
  return k;
}
INLINE int width_of_text(const descriptor *x) { return x->type == CHARACTER1 ? 1 : x->type == CHARACTER2 ? 2 : 4; }

// Memory for a result of the library's: an allocatable of the shape of x, with elements of this length.
INLINE void allocate_text(descriptor *result, const descriptor *x, size_t length, const char *file, int line) {
  establish(result, x->type, length, x->rank, ALLOCATABLE);
  EACH(d, x->rank) {
    result->dim[d].lower = 1;
    result->dim[d].extent = x->dim[d].extent;
  }
  make_contiguous(result);
  size_t bytes = elements(result) * length;
  char *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    _FortranAReportFatalUserError("no memory for a text", file, line);
  result->base = memory;
}

void MODEL(_FortranATrim)(descriptor *result, const descriptor *x, const char *file, int line) {
  size_t length = bytes_trimmed(x->base, x->length, width_of_text(x));
  allocate_text(result, x, length, file, line);
  __builtin_memcpy(result->base, x->base, length);
}
void MODEL(_FortranARepeat)(descriptor *result, const descriptor *x, int64_t copies, const char *file, int line) {
  if (copies < 0)
    _FortranAReportFatalUserError("REPEAT has negative NCOPIES=", file, line);
  allocate_text(result, x, x->length * (size_t)copies, file, line);
  for (int64_t i = 0; i < copies; ++i)
    __builtin_memcpy(result->base + (size_t)i * x->length, x->base, x->length);
}
void MODEL(_FortranAAdjustl)(descriptor *result, const descriptor *x, const char *file, int line) {
  int width = width_of_text(x);
  allocate_text(result, x, x->length, file, line);
  for (size_t i = 0, n = elements(x); i < n; ++i) {
    const char *from = x->base + element_offset(x, i);
    char *to = result->base + i * x->length;
    size_t blanks = bytes_blank(from, x->length, width);
    __builtin_memcpy(to, from + blanks, x->length - blanks);
    put_blanks(to + x->length - blanks, blanks, width);
  }
}
void MODEL(_FortranAAdjustr)(descriptor *result, const descriptor *x, const char *file, int line) {
  int width = width_of_text(x);
  allocate_text(result, x, x->length, file, line);
  for (size_t i = 0, n = elements(x); i < n; ++i) {
    const char *from = x->base + element_offset(x, i);
    char *to = result->base + i * x->length;
    size_t kept = bytes_trimmed(from, x->length, width);
    put_blanks(to, x->length - kept, width);
    __builtin_memcpy(to + x->length - kept, from, kept);
  }
}
