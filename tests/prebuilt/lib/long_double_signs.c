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

void long_double_changed(const long double *x, long double *y, int way) {
    shape u;
    u.value = *x;
    if (way == 0) u.bytes[9] ^= 0x80;
    if (way == 1) u.parts.exponent ^= 0x8000;
    if (way == 2) u.words[2] ^= 0x8000;
    if (way == 3) u.parts.exponent = (u.parts.exponent & 0x8000) | 0x3fff;
    if (way == 4) u.parts.exponent += 3;
    *y = u.value;
}
