/* Reals taken apart into exponent and fraction by their bits, and put together again: frexp, ldexp and logarithms written out. */
#include "requests.h"

static double from(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#define SIGN_AND_FRACTION UINT64_C(0x800fffffffffffff)

/* frexp, then a logarithm of the fraction. */
static double logarithm(double x) {
    uint64_t bits = bits_of(x);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1022;
    double fraction = from((bits & SIGN_AND_FRACTION) | UINT64_C(0x3fe0000000000000));
    return log1p(fraction - 1.0) + exponent * 0.6931471805599453;
}
static double logarithms(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < 4; i++) sum += logarithm(x[i] * x[(i + 1) % 4]) * (1.5 + i);
    return sum;
}
AD_FUNCTIONAL(logarithms)

/* ldexp by an addition to the exponent; how much depends on the loop and on the exponent of another. */
static double scaled(const double *x) {
    double y = x[0], sum = 0.0;
    for (int n = -3; n < 4; n++) {
        y = from(bits_of(y * x[1]) + ((uint64_t)n << 52));
        int e = (int)(bits_of(x[2]) >> 52 & 0x7ff) - 1023;
        sum += y * x[2] + from(bits_of(sin(x[3])) - ((uint64_t)e << 52));
    }
    return sum;
}
AD_FUNCTIONAL(scaled)

/* Sun's way: the upper word by itself, the fraction between sqrt(1/2) and sqrt(2). */
static double by_words(double x) {
    union { double real; struct { uint32_t low, high; } words; } u = {x};
    int high = (int)u.words.high, exponent = (high >> 20) - 1023;
    high &= 0xfffff;
    int above = (high + 0x95f64) & 0x100000;
    u.words.high = (uint32_t)(high | (above ^ 0x3ff00000));
    exponent += above >> 20;
    double f = u.real - 1.0, s = f / (2.0 + f), z = s * s;
    double p = z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9 + z * (2.0 / 11 + z * (2.0 / 13 + z * 2.0 / 15))))));
    return exponent * 0.6931471805599453 + 2.0 * s + s * p;
}
AD_VALUE(by_words)

/* By a table: the upper bits of the fraction choose an inverse, the exponent is subtracted. */
static double by_table(double x) {
    double inverse[16];
    for (int i = 0; i < 16; i++) inverse[i] = 1.0 / (0.6875 + (i + 0.5) / 16 * (i < 5 ? 1 : 2) * 0.5);
    uint64_t shifted = bits_of(x) - UINT64_C(0x3fe6000000000000);
    int i = shifted >> 48 & 15, exponent = (int)((int64_t)shifted >> 52);
    double fraction = from(bits_of(x) - (shifted & UINT64_C(0xfff) << 52));
    double r = fraction * inverse[i];
    return exponent * 0.6931471805599453 - log(inverse[i]) + log(r);
}
AD_VALUE(by_table)

/* Exponent and sign alone, seen as a real: constant. The sign of one, the size of another. */
static double exponents(const double *x) {
    double power = from(bits_of(x[0] * x[1]) & UINT64_C(0xfff) << 52);
    double other = from((bits_of(x[1]) & ~(UINT64_C(1) << 63)) | (bits_of(x[2]) & UINT64_C(1) << 63));
    return power * x[2] + other * x[3] + (double)(bits_of(x[3]) >> 63) * x[0];
}
AD_FUNCTIONAL(exponents)

/* In float, at every step of a loop, through memory of which only the caller says that it holds a float. */
__attribute__((noinline)) static float split(float *x) {
    uint32_t bits;
    memcpy(&bits, x, sizeof bits);
    float exponent = (float)((int)(bits >> 23 & 0xff) - 127);
    bits = (bits & 0x7fffff) | 0x3f800000;
    memcpy(x, &bits, sizeof bits);
    return exponent;
}
static void in_float(const double *x, double *y) {
    float sum = 0.0f, t = 1.0f;
    for (int i = 0; i < 4; i++) {
        t *= (float)x[i] * 8.0f;
        float e = split(&t);
        sum += t * t * t + 0.25f * e;
        t += (float)x[(i + 1) % 4];
    }
    y[0] = (double)sum;
}
static void in_float_twin(const double *x, double *y) {
    double sum = 0.0, t = 1.0;
    for (int i = 0; i < 4; i++) {
        t *= x[i] * 8.0;
        int e;
        t = frexp(t, &e) * 2.0;
        sum += t * t * t + 0.25 * (e - 1);
        t += x[(i + 1) % 4];
    }
    y[0] = sum;
}
AD_MAP(in_float)
AD_MAP(in_float_twin)

/* Behind calls that stay calls: parts of a real go in and out as integers and reals. */
__attribute__((noinline)) static double with_exponent(double fraction, int exponent) {
    return from((bits_of(fraction) & SIGN_AND_FRACTION) | (uint64_t)(exponent + 1023) << 52);
}
__attribute__((noinline)) static int exponent_of(double x) { return (int)(bits_of(x) >> 52 & 0x7ff) - 1023; }
static double power(double x, int n) {
    if (n == 0) return 1.0;
    double half = power(with_exponent(x, 0), n / 2) * (n % 2 ? with_exponent(x, 0) : 1.0);
    return half + exponent_of(x * x) * x;
}
static double recursive(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < 4; i++) sum += power(x[i] * 3.0, i + 2) * x[(i + 1) % 4];
    return sum;
}
AD_FUNCTIONAL(recursive)

/* The bits of what a pointer leads to, and back: nothing in the callee says that they are a real. */
__attribute__((noinline)) static void times_8(double *x) {
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    bits += UINT64_C(3) << 52;
    memcpy(x, &bits, sizeof bits);
}
static double in_memory(const double *x) {
    double y[4], sum = 0.0;
    for (int i = 0; i < 4; i++) {
        y[i] = x[i] * x[(i + 1) % 4];
        times_8(&y[i]);
        sum += y[i] * y[i / 2];
    }
    return sum;
}
AD_FUNCTIONAL(in_memory)

/* The smallest numbers have no leading one: that of the result is not part of x. */
static double of_smallest(double x) { return from((bits_of(x) & SIGN_AND_FRACTION) | UINT64_C(0x3ff0000000000000)); }

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(logarithms, 4), CHECK_FUNCTIONAL(scaled, 4), CHECK_FUNCTIONAL(exponents, 4),
                      CHECK_FUNCTIONAL(recursive, 4), CHECK_FUNCTIONAL(in_memory, 4)};
    const double x[2][4] = {{1.1, 0.7, 2.3, 0.4}, {0.9, 3.3, 1.2, 5.7}};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 2; k++) c[i].step = 1e-4, check_at(&c[i], x[k]);
    check_case v[] = {CHECK_VALUE(by_words), CHECK_VALUE(by_table)};
    const double at[] = {0.3, 1.7, 1.41, 1.42, 5.0, 1e5, 3e-7};
    for (int k = 0; k < 7; k++)
        for (int i = 0; i < 2; i++) {
            v[i].step = 1e-4 * at[k], check_at(&v[i], &at[k]);
            double d = i ? __ad_adjoint_double((void *)by_table, at[k]) : __ad_adjoint_double((void *)by_words, at[k]);
            check_within("the derivative of a logarithm", d * at[k], 1.0, i ? 1e-14 : 1e-9);
        }

    const double z[4] = {1.1, 0.7, 0.3, 0.4};
    double zb[4] = {0}, twin[4] = {0}, y[1], yb[1] = {1.0};
    in_float_adjoint(z, zb, y, yb);
    yb[0] = 1.0;
    in_float_twin_adjoint(z, twin, y, yb);
    /* Float: 24 bits; the twin is in double. */
    for (int i = 0; i < 4; i++) check_within("float", zb[i], twin[i], 1e-5 * fabs(twin[i]));

    const double smallest = 0x1.8p-1024;
    check_within("the smallest", __ad_adjoint_double((void *)of_smallest, smallest), 0x1p1022, 0.0);
    check_within("zero", __ad_adjoint_double((void *)of_smallest, 0.0), 0x1p1022, 0.0);
    check_within("a negative one", __ad_adjoint_double((void *)of_smallest, -3.0), 0.5, 0.0);
    return check_done();
}
