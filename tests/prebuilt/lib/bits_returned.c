#include <string.h>

static double cell;

void *bits_kept(double x) {
    cell = x;
    return &cell;
}
double bits_read(const void *from) {
    double x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* What only decides. */
#include <stdint.h>

unsigned long bits_hash(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (unsigned long)((bits ^ bits >> 29) * 0x9e3779b97f4a7c15u);
}
int bits_sign(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 63);
}
long bits_exponent(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (long)(bits >> 52 & 0x7ff) - 1023;
}
int bits_compare(const double *a, const double *b) { return (*a > *b) - (*a < *b); }
long bits_floor(double x) { return (long)x; }
void *bits_larger(double *a, double *b) { return *a > *b ? a : b; }

/* The bits themselves. */
uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
uint32_t bits_of_single(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
void *bits_as_pointer(double x) {
    void *bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
/* And back. */
double bits_real(uint64_t bits) { return bits_read(&bits); }
float bits_real_single(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
double bits_real_address(void *bits) { return bits_real((uint64_t)(uintptr_t)bits); }
