/* Integers beside reals: conversions there and back, exponents, and tricks with bits that have a derivative. */
#include "requests.h"

/* What goes through an integer has derivative zero, the rest keeps its own. */
static double conversions(const double *x) {
    int whole = (int)(x[0] * 7.3);
    unsigned tiny = (unsigned char)(x[1] * 100.0);
    long long large = (long long)(x[0] * 1e3);
    double back = (double)whole + tiny * 1e-3 + (double)(large % 97) * 1e-2;
    double fraction = x[0] * 7.3 - whole;
    return back * x[1] + fraction * fraction + (float)whole * x[0] + (double)lround(x[1] * 9) * x[1];
}
static double exponents(const double *x) {
    int e;
    double whole, m = frexp(x[0], &e), part = modf(3.7 * x[1], &whole);
    double back = ldexp(m, e) + scalbn(x[1], ilogb(100 * x[0])) + scalbln(m, 2L) * part;
    return back * x[1] + logb(x[0] * 40) * x[0] + whole * x[1] + nearbyint(x[1] * 3) * x[0];
}

/* Absolute value, sign and negation on the bits, in each way that compilers see through. */
union number { double value; uint64_t bits; };
static double absolute(double x) {
    union number u = {x};
    u.bits &= 0x7fffffffffffffffu;
    return u.value;
}
static double negative(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits ^= 0x8000000000000000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static double minus_absolute(double x) {
    union number u = {x};
    u.bits |= 0x8000000000000000u;
    return u.value;
}
static float absolute_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7fffffffu;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static double masks(const double *x) {
    double y = absolute(x[0] - 0.5) * x[1] + negative(x[1]) * x[0] + minus_absolute(x[1] - x[0]) * x[0];
    return y + copysign(x[0], x[1] - 0.6) * fabs(x[1]);
}
/* In float; what it computes, in double. */
static double narrow(const double *x) {
    int e;
    float m = frexpf((float)(x[0] * x[1]), &e);
    return ldexpf(m, e) * absolute_float((float)x[0] - 1.0f) + modff(3 * (float)x[1], &m) * m;
}
static void narrow_in_double(const double *x, double *y) {
    double whole, part = modf(3 * x[1], &whole);
    y[0] = x[0] * x[1] * fabs(x[0] - 1) + part * whole;
}
/* Questions about the bits. */
static double questions(const double *x) {
    union number u = {x[0] - 0.45};
    uint64_t bits = check_bits(x[1]);
    double y = u.bits >> 63 ? x[1] * x[1] : x[0];
    if ((bits & 0x7ff0000000000000u) == 0x7ff0000000000000u) y = 0.0;
    if (x[0] != x[0] || __builtin_isnan(x[1]) || __builtin_isinf(y)) return -1.0;
    if (__builtin_signbit(x[1] - 0.5)) y *= x[1];
    return y * (isfinite(x[0]) ? x[0] : 1.0) * (isnormal(y) + 1) * (fpclassify(x[1]) == FP_NORMAL ? 2.0 : 1.0);
}
/* Bits that are only carried along: swapped, chosen. */
static double carried(const double *x) {
    double y[4], sum = 0;
    for (int i = 0; i < 4; i++) y[i] = x[i % 2] * (i + 1);
    for (int i = 0; i < 2; i++) {
        uint64_t low, high;
        memcpy(&low, &y[i], sizeof low);
        memcpy(&high, &y[3 - i], sizeof high);
        if (i == 0 || x[0] > 0.4) {
            uint64_t bits = low;
            low = high;
            high = bits;
        }
        memcpy(&y[i], &low, sizeof low);
        memcpy(&y[3 - i], &high, sizeof high);
    }
    for (int i = 0; i < 4; i++) sum += y[i] * y[i] * (i + 1);
    return sum;
}
AD_FUNCTIONAL(conversions)
AD_FUNCTIONAL(exponents)
AD_FUNCTIONAL(masks)
AD_FUNCTIONAL(narrow)
AD_FUNCTIONAL(questions)
AD_FUNCTIONAL(carried)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(conversions, 2), CHECK_FUNCTIONAL(exponents, 2), CHECK_FUNCTIONAL(masks, 2),
                          CHECK_FUNCTIONAL(questions, 2), CHECK_FUNCTIONAL(carried, 2), CHECK_FUNCTIONAL(narrow, 2)};
    /* In the middle between two jumps of every integer. */
    double points[3][2] = {{0.3105, 0.7152}, {0.4705, 0.5354}, {0.6205, 0.8251}};
    cases[5].smooth = narrow_in_double;
    cases[5].tol_diff = 1e-5; /* float: 24 bits, rounded at each conversion */
    cases[5].tol_dot = 1e-6;
    for (int i = 0; i < 6; i++) {
        cases[i].step = 1e-4;
        for (int k = 0; k < 3; k++) check_at(&cases[i], points[k]);
    }
    return check_done();
}
