#include "long_double_signs.h"

#include <stdint.h>

typedef union {
    long double value;
    struct {
        uint32_t digits[2];
        uint16_t exponent;
    } parts;
    uint32_t words[3];
    uint8_t bytes[sizeof(long double)];
} shape;

static inline __attribute__((always_inline)) long double changed(long double x, enum change change) {
    shape u = {x};
    switch (change) {
    case BYTE: u.bytes[9] ^= 0x80; break;
    case TWO_BYTES: u.parts.exponent ^= 0x8000; break;
    case FOUR_BYTES: u.words[2] ^= 0x8000; break;
    case MAGNITUDE: u.parts.exponent &= 0x7fff; break;
    case SIGNIFICAND: u.parts.exponent = (u.parts.exponent & 0x8000) | 0x3fff; break;
    case OVERWRITTEN: u.parts.exponent = 0x3fff; break;
    case SCALED: u.parts.exponent += 3; break;
    default: return (u.parts.exponent & 0x7fff) == 0x7fff ? x + 1 : x;
    }
    return u.value;
}

void long_double_changed(const long double *x, long double *y, enum change change) { *y = changed(*x, change); }

#define DEFINE(change) long double long_double_##change(long double x) { return changed(x, change); }
WITH_ALL_CHANGES(DEFINE)
