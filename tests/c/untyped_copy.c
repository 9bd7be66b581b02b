/* Bytes that hold doubles, moved by code that does not say so: through a 64-bit integer, a union, and a byte loop's
 * memcpy of a run-time length. */
#include "requests.h"

static double through_integer(const double *x) {
    uint64_t bits;
    double t;
    memcpy(&bits, &x[0], sizeof bits);
    uint64_t other = bits;
    memcpy(&t, &other, sizeof t);
    return t * t * x[1];
}
AD_FUNCTIONAL(through_integer)
static void through_integer_jacobian(const double *x, double *J) {
    J[0] = 2.0 * x[0] * x[1];
    J[1] = x[0] * x[0];
}

static void swap_words(uint64_t *a, uint64_t *b) {
    uint64_t t = *a;
    *a = *b;
    *b = t;
}

static double swapped(const double *x) {
    union { double value; uint64_t bits; } u[2];
    u[0].value = x[0] * x[0];
    u[1].value = x[1] + 1.0;
    swap_words(&u[0].bits, &u[1].bits);
    return u[0].value * sin(u[1].value);
}
AD_FUNCTIONAL(swapped)
static void swapped_jacobian(const double *x, double *J) {
    J[0] = (x[1] + 1.0) * cos(x[0] * x[0]) * 2.0 * x[0];
    J[1] = sin(x[0] * x[0]);
}

static void generic_copy(void *to, const void *from, size_t size) { memcpy(to, from, size); }

static double generic(const double *x) {
    struct { double a; int n; float b; double c; } s = {x[0], 2, 0.5f, x[1] * x[0]}, t;
    generic_copy(&t, &s, sizeof t);
    return t.a * t.c * t.n + (double)t.b * t.a;
}
AD_FUNCTIONAL(generic)
static void generic_jacobian(const double *x, double *J) {
    J[0] = 4.0 * x[0] * x[1] + 0.5;
    J[1] = 2.0 * x[0] * x[0];
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(through_integer, 2), CHECK_FUNCTIONAL(swapped, 2), CHECK_FUNCTIONAL(generic, 2)};
    cases[0].jacobian = through_integer_jacobian, cases[1].jacobian = swapped_jacobian, cases[2].jacobian = generic_jacobian;
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 4, 0.3, 1.1);
    return check_done();
}
