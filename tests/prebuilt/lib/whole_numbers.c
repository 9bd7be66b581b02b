/* Integers of reals: rounded ones, whose rest has the derivative, and exact ones. */
#include <math.h>
#include <stdint.h>

/* A table by whole steps, and what lies between: also at whole numbers, and at large ones. */
double whole_table(double x) {
    static const double table[8] = {0.5, 1.5, -2, 3, 0.25, 1, 2, -1};
    long i = (long)x;
    double t = x - (double)i;
    return table[i & 7] + t * (table[(i + 1) & 7] - table[i & 7]);
}
float whole_table_float(float x) {
    static const float table[8] = {0.5f, 1.5f, -2, 3, 0.25f, 1, 2, -1};
    int i = (int)x;
    float t = x - (float)i;
    return table[i & 7] + t * (table[(i + 1) & 7] - table[i & 7]);
}
double whole_rounded(double x) { return x * x - (double)llrint(x) * x + (double)(int64_t)(x * 1000) * 0; }
long double whole_long(long double x) {
    int64_t i = (int64_t)x;
    return (x - i) * (x - i) + i;
}

/* Taken apart into an integer, and put together again: twice the number. */
double apart_fraction(double x) {
    int e;
    int64_t n = (int64_t)ldexp(frexp(x, &e), 53);
    return ldexp((double)(n * 2), e - 53);
}
/* By digits: the number. */
double apart_digits(double x) {
    uint32_t digits[4];
    int e;
    double m = ldexp(frexp(x, &e), 22);
    for (int i = 0; i < 4; i++) {
        digits[i] = (uint32_t)m;
        m = ldexp(m - digits[i], 30);
    }
    double r = 0;
    for (int i = 3; i >= 0; i--) r = ldexp(r, -30) + digits[i];
    return ldexp(r, e - 22);
}
double apart_rounded(double x) { return (double)llrint(x * 0x1p60) * 0x1p-60; }
float apart_float(float x) { return (float)(int)(x * 0x1p28f) * 0x1p-28f; }
long double apart_long(long double x) { return (long double)(int64_t)(x * 0x1p62L) * 0x1p-62L; }
/* A zero of the argument gives its sign, as vector libraries have it: x (1 - x x). */
#include <emmintrin.h>
double sign_of_zero(double x) {
    __m128d v = _mm_set_sd(x), p = _mm_mul_sd(v, _mm_sub_sd(_mm_set_sd(1), _mm_mul_sd(v, v))), k = _mm_cmpeq_sd(v, _mm_setzero_pd());
    return _mm_cvtsd_f64(_mm_xor_pd(p, _mm_and_pd(k, v)));
}
/* The same where what the sign is given to is no zero: x + 1. */
double sign_of_one(double x) {
    __m128d v = _mm_set_sd(x), p = _mm_add_sd(v, _mm_set_sd(1)), k = _mm_cmpeq_sd(v, _mm_setzero_pd());
    return _mm_cvtsd_f64(_mm_xor_pd(p, _mm_and_pd(k, v)));
}
