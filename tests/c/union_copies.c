/* Unions of reals and a struct with a pointer, moved through local variables: LLVM gives those the type of one alternative. */
// ad-i386: none, beside a pointer of four bytes, four bytes of the union have no type: refused (AD034)
#include "requests.h"

#define APART __attribute__((noinline)) static

union word {
    double d[2];
    struct {
        double value;
        double *at;
    } s;
};
union wide {
    float f[4];
    struct {
        double a, b;
    } s;
};

union pair {
    struct {
        double a, b;
    } v;
    struct {
        double value;
        double *at;
    } s;
};
union turned {
    struct {
        double *at;
        double value;
    } v;
    struct {
        double value;
        double *at;
    } s;
};
struct box {
    union pair u;
    double more;
};

APART void swap(union word *t) {
    union word q = t[0];
    t[0] = t[1];
    t[1] = q;
}
APART void rotate(union word *t) {
    union word q = t[0];
    t[0] = t[1];
    t[1] = t[2];
    t[2] = q;
}
static double swapped(const double *x) {
    union word t[2];
    double z[2] = {x[1], x[0]};
    t[0].s.value = x[0], t[0].s.at = z;
    t[1].s.value = x[1], t[1].s.at = z + 1;
    swap(t);
    *t[0].s.at *= t[0].s.value;
    *t[1].s.at *= t[1].s.value;
    return z[0] + 2 * z[1];
}
static double rotated(const double *x) {
    union word t[3];
    double z[3] = {x[1], x[0], x[0] * x[1]};
    for (int i = 0; i < 3; i++) t[i].s.value = x[i % 2] + i, t[i].s.at = z + i;
    rotate(t);
    for (int i = 0; i < 3; i++) *t[i].s.at *= t[i].s.value;
    rotate(t);
    t[0].s.value *= x[0];
    for (int i = 0; i < 3; i++) *t[i].s.at += t[i].s.value;
    return z[0] + 2 * z[1] + 3 * z[2];
}
APART void exchange(union wide *a, union wide *b) {
    union wide q = *a;
    *a = *b;
    *b = q;
}
static double wide(const double *x) {
    union wide t[2];
    t[0].s.a = x[0], t[0].s.b = x[0] * x[1];
    t[1].s.a = x[1], t[1].s.b = x[1] * x[1];
    exchange(t, t + 1);
    double y = t[0].s.a * t[1].s.b;
    exchange(t + 1, t);
    return y + t[0].s.a * t[1].s.b * t[1].s.a;
}

APART void swap_pairs(union pair *t) {
    union pair q = t[0];
    t[0] = t[1];
    t[1] = q;
}
static double pairs(const double *x) {
    union pair t[2];
    double z[2] = {x[1], x[0]};
    t[0].s.value = x[0], t[0].s.at = z;
    t[1].s.value = x[1], t[1].s.at = z + 1;
    swap_pairs(t);
    *t[0].s.at *= t[0].s.value;
    *t[1].s.at *= t[1].s.value;
    return z[0] + 2 * z[1];
}
APART void swap_turned(union turned *t) {
    union turned q = t[0];
    t[0] = t[1];
    t[1] = q;
}
static double turned(const double *x) {
    union turned t[2];
    double z[2] = {x[1], x[0]};
    t[0].s.value = x[0], t[0].s.at = z;
    t[1].s.value = x[1], t[1].s.at = z + 1;
    swap_turned(t);
    *t[0].s.at *= t[0].s.value;
    *t[1].s.at *= t[1].s.value;
    return z[0] + 2 * z[1];
}
APART void swap_boxes(struct box *t) {
    struct box q = t[0];
    t[0] = t[1];
    t[1] = q;
    t[0].more *= 2;
}
static double boxes(const double *x) {
    struct box t[2];
    double z[2] = {x[1], x[0]};
    t[0].u.s.value = x[0], t[0].u.s.at = z, t[0].more = x[1];
    t[1].u.s.value = x[1], t[1].u.s.at = z + 1, t[1].more = x[0];
    swap_boxes(t);
    *t[0].u.s.at *= t[0].u.s.value * t[0].more;
    *t[1].u.s.at *= t[1].u.s.value * t[1].more;
    return z[0] + 2 * z[1];
}

AD_FUNCTIONAL(swapped)
AD_FUNCTIONAL(pairs)
AD_FUNCTIONAL(turned)
AD_FUNCTIONAL(boxes)
AD_FUNCTIONAL(rotated)
AD_FUNCTIONAL(wide)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(swapped, 2), CHECK_FUNCTIONAL(pairs, 2), CHECK_FUNCTIONAL(turned, 2), CHECK_FUNCTIONAL(boxes, 2), CHECK_FUNCTIONAL(rotated, 2), CHECK_FUNCTIONAL(wide, 2)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
