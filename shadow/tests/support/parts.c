/* Reals of which parts are written or copied: bytes, pairs of bytes, halves. */
#include <string.h>
typedef union { double d; unsigned u[2]; unsigned short h[4]; unsigned char b[8]; } real;
typedef union { float f; unsigned u; unsigned short h[2]; unsigned char b[4]; } single;

double byte_low(double x) { volatile real r; r.d = x * x; r.b[1] = 7; return r.d * x; }
double byte_zero(double x) { volatile real r; r.d = x * x; r.b[0] = 0; return r.d * x; }
double byte_sixth(double x) { volatile real r; r.d = x * x; r.b[6] = 0x10; return r.d * x; }
double byte_top(double x) { volatile real r; r.d = x * x; r.b[7] = 0x3f; return r.d * x; }
double pair_low(double x) { volatile real r; r.d = x * x; r.h[0] = 0; return r.d * x; }
double pair_top(double x) { volatile real r; r.d = x * x; r.h[3] = 0x3ff0; return r.d * x; }
double byte_changed(double x) { volatile real r; r.d = x * x; r.b[0] ^= 1; return r.d * x; }
double byte_of_float(double x) { volatile single r; r.f = (float)(x * x); r.b[0] = 1; return r.f * x; }
double float_short(double x) { volatile single r, s; s.f = (float)x; r.f = 0; r.h[1] = s.h[1]; return r.f * x; }
double copy_cut(double x) { volatile real r, s; s.d = x * x; r.d = 0; for (int k = 1; k < 8; k++) r.b[k] = s.b[k]; return r.d * x; }
double copy_mixed(double x) { volatile real r, s; s.d = x * x; r.d = x; for (int k = 0; k < 7; k++) r.b[k] = s.b[k]; return r.d * x; }

double copy_bytes(double x) { volatile real r, s; s.d = x * x; for (int k = 0; k < 8; k++) r.b[k] = s.b[k]; return r.d * x; }
double copy_over(double x) { volatile real r, s; s.d = x * x; r.d = x; for (int k = 0; k < 8; k++) r.b[k] = s.b[k]; return r.d * x; }
double copy_backward(double x) { volatile real r, s; s.d = x * x; r.d = x; for (int k = 7; k >= 0; k--) r.b[k] = s.b[k]; return r.d * x; }
double copy_pairs(double x) { volatile real r, s; s.d = x * x; for (int k = 0; k < 4; k++) r.h[k] = s.h[k]; return r.d * x; }
double copy_float(double x) { volatile single r, s; s.f = (float)(x * x); for (int k = 0; k < 4; k++) r.b[k] = s.b[k]; return r.f * x; }
double turned_twice(double x) {
    volatile real r, s, t;
    s.d = x * x;
    for (int k = 0; k < 8; k++) r.b[7 - k] = s.b[k];
    for (int k = 0; k < 8; k++) t.b[7 - k] = r.b[k];
    return t.d * x;
}
double copy_in_pieces(double x) {
    volatile double s = x * x, r = x;
    volatile int n = 3;
    memcpy((char *)&r, (const char *)&s, n);
    memcpy((char *)&r + n, (const char *)&s + n, 8 - n);
    return r * x;
}
double copy_in_part(double x) {
    volatile double s = x * x, r = x;
    volatile int n = 3;
    memcpy((char *)&r, (const char *)&s, n);
    return r * x;
}
double set_in_part(double x) {
    volatile double r = x * x;
    volatile int n = 3;
    memset((char *)&r, 0, n);
    return r * x;
}
double set_in_pieces(double x) {
    volatile double r = x * x;
    volatile int n = 3;
    memset((char *)&r, 0, n);
    memset((char *)&r + n, 0, 8 - n);
    return r + x * x;
}
double cleared_by_bytes(double x) { volatile real r; r.d = x * x; for (int k = 0; k < 8; k++) r.b[k] = 0; return r.d + x; }
double cleared_backward(double x) { volatile real r; r.d = x * x; for (int k = 7; k >= 0; k--) r.b[k] = 0; return r.d + x; }
double text_over(double x) {
    volatile real r[4];
    for (int k = 0; k < 4; k++) r[k].d = x * k;
    for (int k = 0; k < 3; k++) r[k].b[3] = (unsigned char)(k + 1), r[k].b[5] = 2;
    int sum = 0;
    for (int k = 0; k < 3; k++) sum += r[k].b[3] * r[k].b[5];
    return sum * x + r[3].d;
}
double flags_beside(double x) {
    volatile struct { float f; char a, b; short c; double d; } s;
    s.f = (float)x, s.a = 1, s.b = 2, s.c = 3, s.d = x;
    return s.f * (s.a + s.b) * s.c * s.d;
}
double bytes_kept(double x) {
    volatile real r, s;
    s.d = x * x, r.d = x * x * x;
    unsigned char kept = r.b[2];
    r.b[2] = s.b[2];
    r.b[2] = kept;
    return r.d;
}

double low_word(double x) { volatile real r; r.d = x * x; r.u[0] = 0; return r.d * r.d; }
double low_word_written(double x) { volatile real r; r.d = x * x; r.u[0] = 0x1234; return r.d * r.d; }
double low_word_stale(double x) { volatile real r; volatile unsigned u = 0x3ff80000; r.d = x * x; r.u[0] = 0; r.u[1] = u; return r.d * x; }
double high_word_stale(double x) { volatile real r; volatile unsigned u = 0x3ff80000; r.d = x * x; r.u[1] = u; r.u[0] = 0; return r.d * x; }
double high_word(double x) { volatile real r; volatile unsigned u = 0x3ff80000; r.d = x * x; r.u[1] = u; return r.d * x; }
double float_zero(double x) { volatile float f[2]; f[0] = (float)x; f[1] = (float)(x * x); f[0] = 0.0f; return f[0] * x + f[1]; }
double float_pair_int(double x) { volatile union { float f[2]; int i[2]; } s; s.f[0] = (float)x; s.f[1] = (float)(x * x); s.i[0] = 3; return s.i[0] * s.f[1]; }
double low_word_turned(double x) { volatile real r; r.d = -(x * x); r.u[0] = 0; double z = r.d; return z * -z; }
double integers_stale(double x) {
    volatile real r;
    r.d = x;
    r.u[0] = 3;
    int first = (int)r.u[0];
    r.u[1] = 4;
    return (first + (int)r.u[1]) * x;
}
typedef struct { int k; float f; double d; } some;
__attribute__((noinline)) static some step(some s) { return (some){s.k + 1, s.f + (float)s.k, s.d * s.d * s.k}; }
double in_registers(double z) {
    some s = {1, 2, z};
    double y = 0;
    for (int i = 0; i < 3; i++) s = step(s), y += s.d * s.f + s.k * z;
    return y;
}

/* Packed: at any address, with bytes of others beside them; and with the first byte last. */
static unsigned char packed[64] __attribute__((aligned(16)));
#define APART __attribute__((noinline))
static APART void put(double x, unsigned char *p) { memcpy(p, &x, 8); }
static APART double get(const unsigned char *p) { double x; memcpy(&x, p, 8); return x; }
static APART void put_float(float x, unsigned char *p) { memcpy(p, &x, 4); }
static APART float get_float(const unsigned char *p) { float x; memcpy(&x, p, 4); return x; }
static APART void put_turned(double x, unsigned char *p) { unsigned long u; memcpy(&u, &x, 8); u = __builtin_bswap64(u); memcpy(p, &u, 8); }
static APART double get_turned(const unsigned char *p) { unsigned long u; double x; memcpy(&u, p, 8); u = __builtin_bswap64(u); memcpy(&x, &u, 8); return x; }
static APART void byte(unsigned char *p, int c) { *p = (unsigned char)c; }

double packed_top(double x) { put(x * x, packed + 19); byte(packed + 18, 1); byte(packed + 26, 0x3e); return get(packed + 19) * x; }
double packed_seventh(double x) { put(x * x, packed + 21); byte(packed + 20, 1); byte(packed + 27, 0x3e); return get(packed + 21) * x; }
double packed_float_top(double x) { put_float((float)x, packed + 17); byte(packed + 16, 1); byte(packed + 20, 0x3e); return get_float(packed + 17) * x; }
double packed_float_third(double x) { put_float((float)x, packed + 22); byte(packed + 21, 1); byte(packed + 24, 0x3e); return get_float(packed + 22) * x; }
double float_left(double x) { put_float((float)x, packed + 23); return get_float(packed + 23); }
double turned_beside(double x) { put_turned(x, packed + 16); byte(packed + 24, 0); byte(packed + 15, 7); return get_turned(packed + 16); }
double turned_over(double x) {
    double y = 0;
    for (int at = 16; at < 24; at++) {
        memset(packed, 0, sizeof packed);
        put(x, packed + at);
        y += get(packed + at);
        y += turned_beside(x);
    }
    return y;
}
double turned_over_float(double x) {
    double y = 0;
    for (int at = 16; at < 24; at++) {
        memset(packed, 0, sizeof packed);
        put_float((float)x, packed + at);
        y += get_float(packed + at);
        y += turned_beside(x);
    }
    return y;
}
double text_over_packed(double x) {
    unsigned char *p = packed + 17;
    put_float((float)x, p);
    byte(p - 1, 1);
    for (int k = 0; k < 4; k++) byte(p + k, 2 * k);
    int all;
    memcpy(&all, p - 1, 4);
    return (p[3] + (all & 255)) * x;
}
