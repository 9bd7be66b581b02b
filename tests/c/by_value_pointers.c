/* Structs with a pointer and reals that are passed by value, or copied, by functions that access the reals alone: the pointer has its shadow in the copy. */
#include "requests.h"

#define APART __attribute__((noinline)) static

struct view {
    int n;
    double *data;
    double scale;
};
APART void clear(struct view v) { v.data[0] = 0.5; }
APART void fill(struct view v, double x) {
    for (int i = 0; i < v.n; i++) v.data[i] = v.scale * x * i;
}
APART double total(struct view v) {
    double s = 0.0;
    for (int i = 0; i < v.n; i++) s += v.data[i] * v.data[i];
    return s * v.scale;
}

/* The caller of the functions knows of the scale alone. */
APART void cleared(struct view *v) {
    clear(*v);
    v->scale = 2.0;
}
APART void filled(struct view *v, double x) {
    v->scale *= x;
    fill(*v, x);
}
APART double totalled(const struct view *v) { return total(*v) * v->scale; }
static double by_value(const double *x) {
    double inside[3] = {x[0], x[1], x[0] * x[1]};
    struct view v = {3, inside, 1.5};
    double before = totalled(&v);
    cleared(&v);
    double between = totalled(&v);
    filled(&v, x[1]);
    return before * between + totalled(&v);
}
/* What the function is given is overwritten by a constant: nothing is left of its derivative. */
static void overwritten(const double *x, double *y) {
    y[0] = x[0];
    y[1] = x[1] * x[0];
    struct view v = {2, y, x[0]};
    cleared(&v);
    y[1] *= v.scale;
}

/* Copies in memory, one after the other, of which the last is used. */
APART void hand_on(struct view *to, const struct view *from) {
    *to = *from;
    to->scale = from->scale * 0.5;
}
APART void exchange(struct view *a, struct view *b) {
    struct view t = *a;
    *a = *b;
    *b = t;
    a->scale += b->scale;
}
static double copied(const double *x) {
    double first[2] = {x[0], x[1]}, second[2] = {1.0, x[0]};
    struct view a = {2, first, x[1]}, b = {2, second, 2.0}, c;
    hand_on(&c, &a);
    exchange(&c, &b);
    clear(c);
    fill(b, x[0]);
    return total(a) + total(b) + 3.0 * total(c);
}

/* Two levels, and a checkpointed region around. */
struct outer {
    double weight;
    struct view inner;
    double *more;
};
APART double weighted(struct outer o) {
    o.more[0] = o.weight * o.inner.data[1];
    return total(o.inner) * o.more[0];
}
APART double deep(const struct outer *o) {
    double s = o->weight;
    return s * weighted(*o);
}
static double nested(const double *x) {
    double inside[2] = {x[0] * x[1], x[1]}, more[1] = {x[0]};
    struct outer o = {x[0], {2, inside, x[1]}, more};
    double s = deep(&o);
    ad_checkpoint_begin();
    o.weight = weighted(o) + s;
    clear(o.inner);
    ad_checkpoint_end();
    return o.weight * more[0] + inside[0] * inside[1];
}

AD_FUNCTIONAL(by_value)
AD_FUNCTIONAL(copied)
AD_FUNCTIONAL(nested)
AD_MAP(overwritten)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(by_value, 2), CHECK_FUNCTIONAL(copied, 2), CHECK_FUNCTIONAL(nested, 2), CHECK_MAP(overwritten, 2, 2)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
