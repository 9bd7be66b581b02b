/* A structure with a pointer in it is copied by functions that are too large to be inlined: what the copy leads to, and that
 * it has a shadow, must be known in the caller. (At -O0 nothing says what such a copy moves: AD034.)
 * ad-levels: O1 O2 O3 */
#include "requests.h"

struct view {
    double *data;
    long length;
};

/* Some thousand instructions. */
#define ONE(s, k) s = 0.5 * s + sin(s + k);
#define EIGHT(s, k) ONE(s, k) ONE(s, k + 0.1) ONE(s, k + 0.2) ONE(s, k + 0.3) ONE(s, k + 0.4) ONE(s, k + 0.5) ONE(s, k + 0.6) ONE(s, k + 0.7)
#define MANY(s, k) EIGHT(s, k) EIGHT(s, k + 1) EIGHT(s, k + 2) EIGHT(s, k + 3) EIGHT(s, k + 4) EIGHT(s, k + 5) EIGHT(s, k + 6)
#define LARGE(s) MANY(s, 0.0) MANY(s, 7.0) MANY(s, 14.0) MANY(s, 21.0) MANY(s, 28.0) MANY(s, 35.0)

__attribute__((noinline)) static double whole(struct view *to, const struct view *from, double s) {
    *to = *from;
    LARGE(s)
    return s;
}

/* By way of a variable of its own, and of another function. */
__attribute__((noinline)) static double exchanged(struct view *one, struct view *other, double s) {
    struct view keep = *one;
    *one = *other;
    *other = keep;
    LARGE(s)
    return s;
}

static double copied(const double *x) {
    double a[2] = {x[0], x[1]}, b[2] = {x[2], x[3]};
    struct view first = {a, 1}, second = {b, 2};
    double s = whole(&first, &second, x[0]);
    double t = first.data[0];
    double r = t * t * t * b[1];
    b[0] = 7.0;
    return r + 0.25 * s + first.data[0] * a[0];
}
AD_FUNCTIONAL(copied)

static double filled(const double *x) {
    double b[2] = {x[2], x[3]};
    struct view first, second = {b, 2}; /* nothing but the callee gives first a pointer */
    double s = whole(&first, &second, x[1]);
    double t = first.data[0];
    double r = t * t * t * x[0];
    b[0] = 7.0;
    return r + 0.25 * s;
}
AD_FUNCTIONAL(filled)

static double swapped(const double *x) {
    double a[2] = {x[0], x[1]}, b[2] = {x[2], x[3]};
    struct view first = {a, 1}, second = {b, 2};
    double s = exchanged(&first, &second, x[3]);
    double t = first.data[0], u = second.data[1];
    double r = t * t * t * u * u;
    a[1] = 3.0, b[0] = 7.0;
    return r + 0.25 * s;
}
AD_FUNCTIONAL(swapped)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(copied, 4), CHECK_FUNCTIONAL(filled, 4), CHECK_FUNCTIONAL(swapped, 4)};
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 2, 0.5, 1.5);
    return check_done();
}
