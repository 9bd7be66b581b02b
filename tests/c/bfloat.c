/* __bf16 beside float: arithmetic, arrays, structs. */
// ad-i386: none, the target has no __bf16
#include "requests.h"

typedef __bf16 brain;

/* Conversions that libgcc has since version 13; round to nearest even. */
brain __truncsfbf2(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint16_t upper = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    brain result;
    memcpy(&result, &upper, sizeof result);
    return result;
}
brain __truncdfbf2(double x) { return __truncsfbf2((float)x); }

static double value(double x) {
    brain h = (brain)x, g = h * h;
    float f = (float)(g + h);
    return (double)f * x;
}
static double array(const double *x) {
    brain a[3];
    for (int i = 0; i < 3; i++) a[i] = (brain)x[i];
    struct { brain value; short count; } s = {a[0], 3};
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        s.value = s.value * a[i] + a[2];
        sum += (double)s.value * s.count;
    }
    return sum;
}
AD_VALUE(value)
AD_FUNCTIONAL(array)

static void value_exact(const double *x, double *y) { y[0] = (x[0] * x[0] + x[0]) * x[0]; }
static void array_exact(const double *x, double *y) {
    double s = x[0];
    y[0] = 0.0;
    for (int i = 0; i < 3; i++) {
        s = s * x[i] + x[2];
        y[0] += s * 3;
    }
}

int main(void) {
    check_case cases[] = {CHECK_VALUE(value), CHECK_FUNCTIONAL(array, 3)};
    check_map exact[] = {value_exact, array_exact};
    for (int i = 0; i < 2; i++) {
        cases[i].smooth = exact[i];
        cases[i].tol_diff = 4e-2; /* eight bits */
        cases[i].tol_dot = 4e-2;
        check_random_points(&cases[i], 3, 0.5, 1.5);
    }
    return check_done();
}
