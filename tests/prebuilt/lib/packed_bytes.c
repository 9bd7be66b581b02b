/* Reals in records that are packed byte by byte, at any address, with tags before and behind them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static APART void pack(double x, unsigned char *p) {
    const unsigned char *s = (const unsigned char *)&x;
    for (int i = 0; i < 8; i++) *p++ = *s++;
}
static APART double unpack(const unsigned char *p) {
    double x;
    unsigned char *d = (unsigned char *)&x;
    for (int i = 0; i < 8; i++) *d++ = *p++;
    return x;
}
static APART void put(double x, unsigned char *p) { memcpy(p, &x, 8); }
static APART double get(const unsigned char *p) {
    double x;
    memcpy(&x, p, 8);
    return x;
}
static APART void put_float(float x, unsigned char *p) { memcpy(p, &x, 4); }
static APART float get_float(const unsigned char *p) {
    float x;
    memcpy(&x, p, 4);
    return x;
}
static APART void byte(unsigned char *p, int c) { *p = (unsigned char)c; }
static APART void two(unsigned char *p, short c) { memcpy(p, &c, 2); }
static APART void four(unsigned char *p, int c) { memcpy(p, &c, 4); }

static void (*const packers[])(double, unsigned char *) = {pack, put};
static double (*const unpackers[])(const unsigned char *) = {unpack, get};

/* 3 x */
double packed_around(double x, int at, int how) {
    unsigned char *p = calloc(64, 1), *d = p + 16 + at;
    packers[how & 1](x, d);
    byte(d - 1, 'g'), byte(d + 8, 0), two(d - 3, 7), two(d + 9, 5), four(d - 7, 3), four(d + 11, 4);
    double r = unpackers[how >> 1](d);
    packers[how & 1](2 * x, d);
    byte(d - 1, 'q'), byte(d + 8, 'z');
    r += unpackers[how >> 1](d);
    free(p);
    return r;
}
/* x */
double packed_moved(double x, int at, int how) {
    unsigned char *p = calloc(64, 1), *q = calloc(64, 1), *d = p + 16 + at;
    packers[how & 1](x, d);
    byte(d - 1, 'g'), byte(d + 8, 'g');
    memcpy(q + 3, d - 1, 10);
    byte(q + 3, 'h'), byte(q + 12, 0);
    memmove(q + 5, q + 4, 8);
    byte(q + 4, 0), byte(q + 13, 1);
    double r = unpackers[how >> 1](q + 5);
    free(p), free(q);
    return r;
}
/* 4 x */
double packed_floats(double x, int at, int how) {
    unsigned char *p = calloc(64, 1), *d = p + 16 + at;
    float y = (float)x;
    const unsigned char *s = (const unsigned char *)&y;
    for (int i = 0; how & 1 && i < 4; i++) byte(d + i, s[i]);
    if (!(how & 1)) put_float(y, d);
    byte(d - 1, 1), byte(d + 4, 2), two(d - 3, 1), two(d + 5, 1);
    double r = get_float(d);
    put_float(2 * y, d + 4);
    byte(d + 8, 3), byte(d - 1, 0);
    r += (double)get_float(d + 4) + get_float(d);
    free(p);
    return r;
}
/* 380 x */
double packed_many(double x, int at, int how) {
    unsigned char *p = calloc(256, 1), *d = p + at;
    double r = 0;
    for (int i = 0; i < 20; i++, d += 8) byte(d++, 'G'), packers[how & 1](x * i, d);
    d = p + at;
    for (int i = 0; i < 20; i++, d += 8) r += *d++ == 'G' ? unpackers[how >> 1](d) : 1e300;
    for (int i = 19; i >= 0; i--) byte(p + at + 9 * i, i);
    for (int i = 0; i < 20; i++) r += unpackers[how >> 1](p + at + 9 * i + 1);
    free(p);
    return r;
}
/* With the first byte last, as files of other processors have them: x */
double packed_reversed(double x, int at, int how) {
    unsigned char *p = calloc(64, 1), *d = p + 16 + at;
    uint64_t word;
    memcpy(&word, &x, 8);
    word = __builtin_bswap64(word);
    memcpy(d, &word, 8);
    byte(d - 1, 'G'), byte(d + 8, how);
    memcpy(&word, d, 8);
    word = __builtin_bswap64(word);
    memcpy(&x, &word, 8);
    free(p);
    return x;
}
