// ad-library: structs.c
// ad-static: yes
// ad-link: -lm
/* Structs that are passed and returned in memory: of reals, with pointers and integers between, changed by the callee, to and from callbacks. */
#include "requests.h"

#include "lib/structs.h"

static double products(const double *x) {
    triple a = {x[0], x[1], x[2]}, b = {x[1] * x[2], 1, x[0]};
    triple c = structs_cross(a, structs_cross(b, a));
    return c.x * c.y + structs_norm(c) * c.z;
}
AD_FUNCTIONAL(products)
static double between(const double *x) {
    double v[3] = {x[0] * x[0], x[1], x[2] * x[1]};
    triple t = {x[2], x[0] * x[1], x[1]};
    widths w = structs_widths(x[0], 0.75f);
    series s = {x[1], 3, 0.25f, v, {2, 3}, x[0] * x[2]};
    return structs_between(x[0], 2, t, 1.5f, x[1], v, w, 7, x[2], s);
}
AD_FUNCTIONAL(between)
static void between_in_double(const double *x, double *y) {
    double r = x[0] * x[2] + 2 * (x[0] * x[1]) * x[1] + 1.5 * x[1] + x[1] * (x[0] * x[0]) + x[0] * 0.75 * 0.5625 + x[0] * 7 * x[2];
    y[0] = r + x[1] * (x[2] * x[1]) * 0.25 + x[0] * x[2] * 3;
}
static double consumed(const double *x) {
    large l = structs_filled(x[0], 9);
    for (int i = 9; i < 12; i++) l.table[i] = x[1] * i;
    double once = structs_consumed(l, 12), twice = structs_consumed(l, 11);
    return once * x[1] + twice + l.table[8] * l.used;
}
AD_FUNCTIONAL(consumed)
static double pointers(const double *x) {
    double v[4] = {x[0], x[1], x[2], x[0] * x[1]};
    series s = structs_series(v, 4, x[2]);
    double before = structs_total(s);
    series t = structs_shifted(s, x[1]);
    t.values[0] *= x[0];
    return before * structs_sum(&s) + structs_total(t) * t.values[1] * t.count + s.offset;
}
AD_FUNCTIONAL(pointers)
static double constants(const double *x) {
    static const triple axis = {0.5, 2, -1};
    triple a = {x[0], x[1], x[2]};
    triple c = structs_cross(axis, a), d = structs_cross(axis, axis);
    return c.x * c.y * c.z + d.x + structs_norm(axis) * x[0];
}
AD_FUNCTIONAL(constants)
static triple turned(triple t, void *context) {
    const double *angle = context;
    triple r = {t.x * cos(*angle) - t.y * sin(*angle), t.x * sin(*angle) + t.y * cos(*angle), t.z * *angle};
    return r;
}
static double callbacks(const double *x) {
    double angle = x[0] * x[1];
    triple t = {x[0], x[1], x[2]};
    triple r = structs_apply(turned, t, &angle);
    return r.x * r.y + r.z;
}
AD_FUNCTIONAL(callbacks)
static double many(const double *x) {
    triple a = {x[0], x[1], x[2]}, b = {x[2], x[2] * x[0], 1}, c = {x[1], 2, x[0]};
    return structs_many(a, x[0], x[1], x[2], x[0] * x[1], b, x[1] * x[2], 3, x[0], x[1], x[2] * x[2], c);
}
AD_FUNCTIONAL(many)
/* A function passes on what it is given by value. */
static double inner(large l, const double *x) { return structs_consumed(l, 5) * x[0] + structs_consumed(l, 6); }
static double handed_on(const double *x) {
    large *l = malloc(sizeof *l);
    for (int i = 0; i < 40; i++) l->table[i] = x[i % 3] + i;
    l->used = 3;
    double r = inner(*l, x) + structs_consumed(*l, 3);
    free(l);
    return r;
}
AD_FUNCTIONAL(handed_on)
static double small(const double *x) {
    outcome o = structs_outcome(x[0], 2), p = structs_outcome(o.value * x[1], o.status);
    counted c = {p.status, x[2]};
    for (int i = 0; i < 3; i++) c = structs_counted(c, p.value);
    return c.value * (double)c.steps + o.value;
}
AD_FUNCTIONAL(small)
static double single(const double *x) {
    widths w = structs_widths(x[0] * x[1], (float)x[2]);
    return (double)w.wide * w.narrow + w.small[0] * w.small[1] + w.small[2];
}
AD_FUNCTIONAL(single)
static void single_in_double(const double *x, double *y) {
    double a = x[0] * x[1], b = x[2];
    y[0] = a * a * (a * b) + b * (b * b) + a;
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(products, 3), CHECK_FUNCTIONAL(consumed, 2), CHECK_FUNCTIONAL(pointers, 3), CHECK_FUNCTIONAL(constants, 3),
                          CHECK_FUNCTIONAL(callbacks, 3), CHECK_FUNCTIONAL(many, 3), CHECK_FUNCTIONAL(handed_on, 3),
                          CHECK_FUNCTIONAL(small, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 1.2);
    check_case narrow = CHECK_FUNCTIONAL(single, 3);
    narrow.smooth = single_in_double;
    narrow.tol_diff = 1e-5, narrow.tol_dot = 1e-6; /* float: 24 bits */
    check_random_points(&narrow, 3, 0.3, 1.2);
    check_case mixed = CHECK_FUNCTIONAL(between, 3);
    mixed.smooth = between_in_double;
    mixed.tol_diff = 1e-6, mixed.tol_dot = 1e-6;
    check_random_points(&mixed, 3, 0.3, 1.2);
    return check_done();
}
