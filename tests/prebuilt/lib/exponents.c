/* Exponents taken, given and added to by the bits of numbers, as libraries of mathematical functions have it: the source is the same for both formats. Which instructions it becomes is
 * the compiler's choice, by what it knows of the processor. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "exponents.h"

#define COUNT 16

#define REAL double
#define BITS uint64_t
#define INTEGER int64_t
#define DIGITS 52
#define BIAS 1023
#define FIELD 0x7ff
#define OF(name) name
#include "exponents_of.h"
#undef REAL
#undef BITS
#undef INTEGER
#undef DIGITS
#undef BIAS
#undef FIELD
#undef OF

#define REAL float
#define BITS uint32_t
#define INTEGER int32_t
#define DIGITS 23
#define BIAS 127
#define FIELD 0xff
#define OF(name) name##_f
#include "exponents_of.h"
