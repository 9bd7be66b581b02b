// ad-i386: sse2, rounds where x87 has more digits
/* Conversions of active reals to integers that round: their derivative is zero, and nothing is said. Tables, quantities in fixed point, random numbers
 * from rounded data, whole numbers that lie at a kink; and conversions of large numbers whose integer never becomes a real, or that are not chosen. */
#include "requests.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define APART __attribute__((noinline))

static double table[65];

static double interpolated(double x) {
    double t = x * 16.0;
    int i = (int)t;
    double f = t - i;
    return table[i] * (1.0 - f) + table[i + 1] * f;
}
static double interpolated_long(double x) {
    double t = x * 16.0;
    int64_t i = (int64_t)t;
    double f = t - (double)i;
    return table[i] * (1.0 - f) + table[i + 1] * f;
}
static double interpolated_float(double x) {
    float t = (float)x * 16.0f;
    int i = (int)t;
    float f = t - i;
    return (float)table[i] * (1.0f - f) + (float)table[i + 1] * f;
}
static double quantized(double x) { return x * (int)(1000.0 * x) + (double)llround(x * 1e6) * x + (double)(int64_t)(x * 0x1p30) * 0x1p-30 * x; }
static double periodic(double x) {
    double turns = x * 123.456;
    return sin(6.283185307179586 * (turns - (double)llrint(turns)));
}
/* frexp with few digits: all of them but the first 20 are rounded away. */
static double short_digits(double x) {
    int e;
    double m = frexp(x, &e);
    return x * ldexp((double)(int64_t)ldexp(m, 20), e - 20);
}
static double few_pieces(double x) {
    double m = x, sum = 0.0, unit = 1.0;
    for (int i = 0; i < 4; i++) {
        m *= 16.0, unit /= 16.0;
        int d = (int)m;
        m -= d;
        sum += d * unit;
    }
    return x * sum + m;
}
static double decimal(double x) {
    double m = x, sum = 0.0, unit = 1.0;
    for (int i = 0; i < 15; i++) {
        m *= 10.0, unit *= 0.1;
        int d = (int)m;
        m -= d;
        sum += d * unit;
    }
    return x * sum;
}
static APART uint64_t mixed(uint64_t n) {
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}
static double noisy(double x) {
    uint64_t n = mixed((uint64_t)(x * 1e3));
    return x * ((double)(n >> 11) * 0x1p-53);
}
static double hashed(double x) {
    int64_t cell[3] = {(int64_t)floor(x * 10.0), (int64_t)floor(x * 20.0), (int64_t)floor(x * 30.0)};
    uint64_t key = (uint64_t)(cell[0] * 73856093) ^ (uint64_t)(cell[1] * 19349663) ^ (uint64_t)(cell[2] * 83492791);
    return x * x * (double)(key % 1024);
}
/* The usual ways to write trunc and rint: converted always, chosen below 2^52. */
static double by_hand(double x) {
    double big = x * 0x1p54;
    double whole = fabs(big) < 0x1p52 ? (double)(int64_t)big : big;
    return whole * 0x1p-54 + x * (x < 0x1p52 ? (double)(int64_t)(x * 8.0) : 0.0);
}
static double by_hand_in_loops(double x) {
    double big = x * 0x1p60, sum = 0.0;
    for (int i = 0; i < 10; i++) {
        if (big < i * 0x1p40) sum += (double)(int64_t)big;
        else sum += x;
    }
    return sum;
}
static double floor_by_hand(double x) {
    double big = x * 0x1p60;
    double whole = (double)(int64_t)big;
    if (whole > big) whole -= 1.0;
    return (fabs(big) < 0x1p52 ? whole : big) * 0x1p-60;
}
/* An index and a decision. */
static double large_index(double x) {
    uint64_t n = (uint64_t)(x * 0x1p60);
    return x * table[n % 64] + ((n & 1) ? x : 2.0 * x);
}
static double printed(double x) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", (double)(int64_t)(x * 0x1p60));
    return x * x;
}
/* Seconds and the rest. Whole numbers of 31 digits are rounded where they were not scaled. */
static double seconds(double x) {
    double t = 1700000001.0 + (x - 0.7);
    int64_t s = (int64_t)t;
    int ms = (int)((t - (double)s) * 1000.0);
    return (t - (double)s) * 3.0 + ms + (double)(s % 60) * x;
}
static APART int64_t cell_of(double x) { return (int64_t)(x * 10.0); }
static double across(double x) { return x * (double)cell_of(x); }
/* An integer becomes a real by the bits of 2^52, and chooses a power of two by the exponent. */
static double of_bits(uint64_t bits) {
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}
static double by_bits(double x) {
    uint32_t n = (uint32_t)(10.0 * x);
    double whole = of_bits((uint64_t)n | (uint64_t)1075 << 52) - 0x1p52;
    return x * (whole + of_bits((uint64_t)(n + 1023) << 52));
}

AD_VALUE(interpolated)
AD_VALUE(interpolated_long)
AD_VALUE(interpolated_float)
AD_VALUE(quantized)
AD_VALUE(periodic)
AD_VALUE(short_digits)
AD_VALUE(few_pieces)
AD_VALUE(decimal)
AD_VALUE(noisy)
AD_VALUE(hashed)
AD_VALUE(by_hand)
AD_VALUE(by_hand_in_loops)
AD_VALUE(floor_by_hand)
AD_VALUE(large_index)
AD_VALUE(printed)
AD_VALUE(seconds)
AD_VALUE(across)
AD_VALUE(by_bits)

static void check_both(const char *name, void (*tangent)(const double *, const double *, double *, double *), void (*adjoint)(const double *, double *, double *, double *), double x,
                     double want, double tolerance) {
    double xd = 1.0, y = 0.0, yd = 0.0, xb = 0.0, yb = 1.0;
    tangent(&x, &xd, &y, &yd);
    adjoint(&x, &xb, &y, &yb);
    check_close(name, yd, want, tolerance);
    check_close(name, xb, want, tolerance);
}
#define AT(f, x, want, tolerance) check_both(#f, f##_tangent, f##_adjoint, x, want, tolerance)

int main(void) {
    for (int i = 0; i < 65; i++) table[i] = sin(0.1 * i) + 0.01 * i * i;
    double x = 0.7;
    AT(interpolated, x, 16.0 * (table[12] - table[11]), 1e-14);
    AT(interpolated, 0.75, 16.0 * (table[13] - table[12]), 1e-14);
    AT(interpolated_long, x, 16.0 * (table[12] - table[11]), 1e-14);
    AT(interpolated_long, 0.75, 16.0 * (table[13] - table[12]), 1e-14);
    AT(interpolated_float, x, 16.0 * (double)((float)table[12] - (float)table[11]), 1e-6);
    AT(quantized, 0.7003, 700.0 + 700300.0 + (double)(int64_t)(0.7003 * 0x1p30) * 0x1p-30, 1e-14);
    AT(periodic, x, 6.283185307179586 * 123.456 * cos(6.283185307179586 * (x * 123.456 - 86.0)), 1e-12);
    AT(short_digits, x, 0.7, 1e-5); /* the derivative is x cut to 20 bits */
    AT(few_pieces, x, 65536.0 + 0xb333 / 65536.0, 1e-14);
    AT(decimal, x, 0.7, 1e-13);
    AT(noisy, 0.7003, (double)(mixed(700) >> 11) * 0x1p-53, 1e-14);
    AT(hashed, x, 2.0 * hashed(x) / x, 1e-14);
    AT(by_hand, x, 1.0 + 5.0, 1e-14);
    AT(by_hand_in_loops, x, 10.0, 1e-14);
    AT(floor_by_hand, x, 1.0, 1e-14);
    AT(large_index, x, table[(uint64_t)(x * 0x1p60) % 64] + 2.0, 1e-14);
    AT(printed, x, 1.4, 1e-14);
    AT(seconds, x, 3.0 + (double)(1700000001 % 60), 1e-14);
    AT(seconds, x + 0.25, 3.0 + (double)(1700000001 % 60), 1e-14);
    AT(across, x, 7.0, 1e-14);
    AT(across, 0.3, 3.0, 1e-14);
    AT(by_bits, 0.72, 7.0 + 128.0, 1e-14);
    (void)interpolated_map, (void)interpolated_long_map, (void)interpolated_float_map, (void)quantized_map, (void)periodic_map, (void)short_digits_map;
    (void)few_pieces_map, (void)decimal_map, (void)noisy_map, (void)hashed_map, (void)by_hand_map, (void)by_hand_in_loops_map, (void)floor_by_hand_map, (void)large_index_map, (void)printed_map, (void)seconds_map, (void)across_map, (void)by_bits_map;
    return check_done();
}
