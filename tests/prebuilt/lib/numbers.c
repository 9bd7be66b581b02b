/* What libraries of mathematical functions do by the bits of numbers, written from the definitions: truncation by masks, significands and exponents, scaling. */
#include <complex.h>
#include <stdint.h>
#include <string.h>

#include "numbers.h"

#define NUMBER(name) void number_##name(const double *x, double *y)
#define FOR(i, count) for (int i = 0; i < (count); i++)

static uint64_t bits(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static double number(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static uint32_t bits_of_float(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static float float_of(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
#define SIGN ((uint64_t)1 << 63)
#define DIGITS (((uint64_t)1 << 52) - 1)
static int power_of(double x) { return (int)(bits(x) >> 52 & 0x7ff) - 1023; }

static double magnitude(double x) { return number(bits(x) & ~SIGN); }
static double signed_like(double x, double s) { return number((bits(x) & ~SIGN) | (bits(s) & SIGN)); }
/* Towards zero: the digits behind the point are taken away. */
static double truncated(double x) {
    int e = power_of(x);
    if (e >= 52) return x;
    if (e < 0) return number(bits(x) & SIGN);
    return number(bits(x) & ~(DIGITS >> e));
}
static double lowered(double x) {
    double t = truncated(x);
    return t > x ? t - 1 : t;
}
static double raised(double x) {
    double t = truncated(x);
    return t < x ? t + 1 : t;
}
/* By a constant so large that nothing is left behind the point. */
static double rounded(double x) {
    volatile double large = 0x1p52;
    double s = signed_like(large, x);
    volatile double sum = x + s;
    return signed_like(sum - s, x);
}
static double nearest(double x) { return lowered(x + 0.5); }
static double fraction(double x, int *e) {
    if (x == 0) return *e = 0, x;
    *e = power_of(x) + 1;
    return number((bits(x) & (SIGN | DIGITS)) | (uint64_t)1022 << 52);
}
/* The exponent grows by a sum of integers, if the result is in range. */
static double scaled(double x, int n) {
    int e = power_of(x) + 1023;
    if (e == 0 || e + n <= 0 || e + n >= 0x7ff) return x * (n > 0 ? 0x1p1023 : 0x1p-1022);
    return number(bits(x) + ((uint64_t)(int64_t)n << 52));
}
/* Put together of sign, exponent and digits. */
static double put_together(double x, int n) {
    uint64_t u = bits(x);
    int e = (int)(u >> 52 & 0x7ff);
    if (x == 0 || e == 0x7ff) return x;
    e += n;
    return number((u & SIGN) | (uint64_t)e << 52 | (u & DIGITS));
}
static float truncated_float(float x) {
    int e = (int)(bits_of_float(x) >> 23 & 0xff) - 127;
    if (e >= 23) return x;
    if (e < 0) return float_of(bits_of_float(x) & 0x80000000u);
    return float_of(bits_of_float(x) & ~(0x007fffffu >> e));
}

NUMBER(magnitude) { FOR(i, 8) y[i] = magnitude(x[i] - x[7 - i]) * x[i]; }
NUMBER(signed_like) { FOR(i, 8) y[i] = signed_like(x[i] * x[i], x[7 - i] - 0.6) + x[0]; }
NUMBER(truncated) { FOR(i, 8) y[i] = truncated(x[i] * 17) * x[i] + x[i]; }
NUMBER(lowered) { FOR(i, 8) y[i] = lowered(x[i] * -23) * x[7 - i] + x[i]; }
NUMBER(raised) { FOR(i, 8) y[i] = raised(x[i] * 40) * x[7 - i]; }
NUMBER(rounded) { FOR(i, 8) y[i] = rounded(x[i] * 50) * x[i] + x[0]; }
NUMBER(nearest) { FOR(i, 8) y[i] = nearest(x[i] * 31) * x[i] + x[0] * x[i]; }
NUMBER(parts) {
    FOR(i, 8) {
        double v = x[i] * 37, whole = truncated(v);
        y[i] = (v - whole) * (v - whole) + whole * x[0];
    }
}
NUMBER(fraction) {
    FOR(i, 8) {
        int e;
        double f = fraction(x[i] * x[i] * 5 - 1, &e);
        y[i] = f * f * e + x[0];
    }
}
NUMBER(scaled) { FOR(i, 8) y[i] = scaled(x[i] * x[7 - i], i - 3) * x[i]; }
NUMBER(scaled_twice) { FOR(i, 8) y[i] = put_together(x[i] - 0.55, 2 * i - 7) * x[i] + put_together(x[7 - i], 1); }
NUMBER(exponent) { FOR(i, 8) y[i] = power_of(x[i] * 9) * x[i]; }
NUMBER(exponent_as_number) {
    FOR(i, 8) {
        double e = (double)power_of(x[i] * 5) + 0.5;
        y[i] = e * x[i] + e;
    }
}
/* Upper digits and the rest, by a mask that is always the same. */
NUMBER(split) {
    FOR(i, 8) {
        double high = number(bits(x[i]) & 0xfffffffff8000000u), low = x[i] - high;
        y[i] = high * high + low * (high + x[i]);
    }
}
/* The upper digits alone: as a conversion to a shorter format and back. */
NUMBER(shortened) { FOR(i, 8) y[i] = number(bits(x[i] * x[i]) & ~(uint64_t)0xff) * x[7 - i]; }
/* What is left of a quotient, by subtraction of what its exponents say. */
NUMBER(left_over) {
    FOR(i, 8) {
        double r = x[i] * 100, d = x[7 - i];
        while (r >= d) {
            double s = scaled(d, power_of(r) - power_of(d));
            if (s > r) s = scaled(s, -1);
            r -= s;
        }
        y[i] = r * x[0];
    }
}
NUMBER(truncated_float) {
    FOR(i, 8) {
        float v = (float)x[i] * 19;
        y[i] = truncated_float(v) * x[i];
    }
}
NUMBER(fraction_float) {
    FOR(i, 8) {
        float v = (float)x[i] * (float)x[i];
        y[i] = float_of((bits_of_float(v) & 0x807fffffu) | 0x3f000000u);
    }
}
NUMBER(scaled_float) {
    FOR(i, 8) {
        float v = (float)x[i] * (float)x[7 - i];
        y[i] = float_of(bits_of_float(v) + ((uint32_t)(i - 3) << 23));
    }
}
/* a b + c with the error of the product, which halves of numbers give. */
NUMBER(fused) {
    FOR(i, 8) {
        double a = x[i], b = x[7 - i], c = -a * b * 0.75, ah = number(bits(a) & 0xfffffffff8000000u), bh = number(bits(b) & 0xfffffffff8000000u);
        double al = a - ah, bl = b - bh, p = a * b, e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
        y[i] = (p + c) + e;
    }
}
/* Quotients and products of complex numbers: what a compiler calls for them. */
NUMBER(quotient) {
    FOR(i, 4) {
        double complex a = x[i] + I * x[7 - i], b = x[i] * x[7 - i] - I * x[(i + 3) % 8], q = a / b * a;
        y[2 * i] = creal(q), y[2 * i + 1] = cimag(q);
    }
}
/* No number's function: bits are multiplied. */
double number_hashed(double x) {
    uint64_t u = bits(x) * 0x9e3779b97f4a7c15u;
    u ^= u >> 29;
    return number((u >> 12) | (uint64_t)1023 << 52) - 1;
}
