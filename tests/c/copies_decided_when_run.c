/* Copies of memory of which the compiler cannot say what it holds: pointers, reals and numbers are told apart when the
 * program runs.
 * ad-i386: none, addresses of four bytes look like floats */
#include "requests.h"

struct record {
    double value;
    double *link;
};
typedef void *any;

/* One function that moves bytes for two callers, for which they are something else. */
__attribute__((noinline)) static void move(any to, any from, size_t size) { memmove(to, from, size); }
static double two_types(const double *x) {
    double copy[2];
    struct record from = {x[0], copy}, to;
    move(copy, (any)x, sizeof copy);
    move(&to, &from, sizeof from);
    return to.value * to.link[1];
}
AD_FUNCTIONAL(two_types)
static void two_types_jacobian(const double *x, double *J) {
    J[0] = x[1];
    J[1] = x[0];
}

/* A union that holds now a double, now two floats. */
union either {
    double wide;
    float narrow[2];
};
struct tagged {
    union either value;
    int is_wide;
};
__attribute__((noinline)) static void move_either(struct tagged *to, const struct tagged *from) {
    to->value = from->value;
    to->is_wide = from->is_wide;
    if (to->is_wide > 1) to->value.wide = from->value.narrow[1];
}
static double contradictory(const double *x) {
    struct tagged a, b, c, d;
    a.value.narrow[0] = (float)x[0];
    a.value.narrow[1] = (float)x[1];
    a.is_wide = 0;
    move_either(&b, &a);
    c.value.wide = x[0] + x[1];
    c.is_wide = 1;
    move_either(&d, &c);
    double left = b.is_wide ? b.value.wide : (double)b.value.narrow[0] * b.value.narrow[1];
    double right = d.is_wide ? d.value.wide : (double)d.value.narrow[0] * d.value.narrow[1];
    return left * right;
}
AD_FUNCTIONAL(contradictory)
static void contradictory_jacobian(const double *x, double *J) {
    J[0] = x[1] * (x[0] + x[1]) + x[0] * x[1];
    J[1] = x[0] * (x[0] + x[1]) + x[0] * x[1];
}
static void contradictory_in_double(const double *x, double *y) { y[0] = x[0] * x[1] * (x[0] + x[1]); }

/* A function that copies a union and looks at its real, called where the union holds a pointer, too. */
struct cell {
    union {
        double value;
        double *link;
    } of;
    int kind;
};
__attribute__((noinline)) static void move_cell(struct cell *to, const struct cell *from) {
    *to = *from;
    if (to->kind == 0) to->of.value *= 2.0;
}
static double cells(const double *x) {
    double w[2] = {x[0] * x[1], x[1]};
    struct cell a[2], b[2];
    a[0].kind = 0, a[0].of.value = x[0];
    a[1].kind = 1, a[1].of.link = w;
    for (int i = 0; i < 2; i++) move_cell(&b[i], &a[i]);
    return b[0].of.value * b[1].of.link[0] * b[1].of.link[1];
}
AD_FUNCTIONAL(cells)
static void cells_jacobian(const double *x, double *J) {
    J[0] = 4.0 * x[0] * x[1] * x[1];
    J[1] = 4.0 * x[0] * x[0] * x[1];
}

/* The same for many at once. */
__attribute__((noinline)) static void move_cells(struct cell *to, const struct cell *from, int n) {
    memmove(to, from, (size_t)n * sizeof *to);
    if (to[0].kind == 0) to[0].of.value *= 2.0;
}
static int two = 2;
static double many_cells(const double *x) {
    double w[2] = {x[0] * x[1], x[1]};
    struct cell a[2], b[2];
    a[0].kind = 0, a[0].of.value = x[0];
    a[1].kind = 1, a[1].of.link = w;
    move_cells(b, a, two);
    return b[0].of.value * b[1].of.link[0] * b[1].of.link[1];
}
AD_FUNCTIONAL(many_cells)

/* A loop over words copies addresses alone. */
__attribute__((noinline)) static void move_longs(long *to, const long *from, int words) {
    for (int i = 0; i < words; i++) to[i] = from[i];
}
static double addresses(const double *x) {
    double product = x[0] * x[1], *from[2] = {&product, 0}, *to[2];
    long word[2], moved[2];
    memcpy(&word, &from, sizeof word);
    move_longs(moved, word, two);
    memcpy(&to, &moved, sizeof to);
    return *to[0] * (to[1] ? 0.0 : x[1]);
}
AD_FUNCTIONAL(addresses)
static void addresses_jacobian(const double *x, double *J) {
    J[0] = x[1] * x[1];
    J[1] = 2.0 * x[0] * x[1];
}

/* A loop over words copies structs with a real and a pointer. */
typedef uint64_t __attribute__((may_alias)) word;
struct item {
    double factor;
    double *at;
};
__attribute__((noinline)) static void move_words(void *to, const void *from, int words) {
    word *p = to;
    const word *q = from;
    for (int i = 0; i < words; i++) p[i] = q[i];
}
static double items(const double *x) {
    double values[2] = {x[0] * x[1], x[1]};
    struct item a = {x[0], values}, b = {x[1], values + 1};
    move_words(&a, &b, 2);
    *a.at *= 2;
    return a.factor * *a.at + *b.at + values[0];
}
AD_FUNCTIONAL(items)
static void items_jacobian(const double *x, double *J) {
    J[0] = x[1];
    J[1] = 4.0 * x[1] + 2.0 + x[0];
}

/* Nothing but the caller says what is copied. */
static void copy_bytes(void *to, const void *from, unsigned long bytes) { memcpy(to, from, bytes); }
extern void __ad_adjoint_void(void *f, ...);
static void check_copy_bytes(void) {
    double x[3] = {1, 2, 3}, xb[3] = {0}, y[3], yb[3] = {0.5, -2, 4};
    __ad_adjoint_void((void *)copy_bytes, y, yb, x, xb, (unsigned long)sizeof x);
    for (int i = 0; i < 3; i++) {
        check_equal_bits("copy_bytes y", y[i], x[i]);
        check_equal_bits("copy_bytes yb", yb[i], 0);
        check_equal_bits("copy_bytes xb", xb[i], (double[]){0.5, -2, 4}[i]);
    }
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(two_types, 2), CHECK_FUNCTIONAL(contradictory, 2), CHECK_FUNCTIONAL(cells, 2),
                          CHECK_FUNCTIONAL(many_cells, 2), CHECK_FUNCTIONAL(addresses, 2), CHECK_FUNCTIONAL(items, 2)};
    cases[0].jacobian = two_types_jacobian, cases[1].jacobian = contradictory_jacobian, cases[2].jacobian = cells_jacobian;
    cases[3].jacobian = cells_jacobian, cases[4].jacobian = addresses_jacobian, cases[5].jacobian = items_jacobian;
    /* Its values are rounded to floats. */
    cases[1].smooth = contradictory_in_double, cases[1].tol_closed = cases[1].tol_diff = cases[1].tol_dot = 1e-6;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 4, 0.3, 1.1);
    check_copy_bytes();
    return check_done();
}
