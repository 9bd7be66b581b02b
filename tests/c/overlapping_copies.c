/* memmove within arrays of structs, up and down, by less than what is moved: fields of one struct overlap with those of the next. Lengths are constant, variable,
 * and end inside of a struct. */
#include "requests.h"

#include <stddef.h>

enum { N = 5 };
#define APART __attribute__((noinline)) static

struct mixed {
    double a;
    int n;
    float b;
    double c;
};
struct aimed {
    double *p;
    double w;
};

static void load(struct mixed *s, const double *x) {
    for (int i = 0; i < N; i++) s[i] = (struct mixed){x[0] * (i + 1), i, (float)(x[1] + i), x[0] * x[1] - i};
}
static double weigh(const struct mixed *s) {
    double y = 0.0;
    for (int i = 0; i < N; i++) y += (i + 1) * s[i].a * s[i].a + (2 * i + 1) * (double)s[i].b * s[i].c + s[i].n;
    return y;
}
APART void down(struct mixed *s) { memmove(s, s + 1, (N - 1) * sizeof *s); }
APART void up(struct mixed *s) { memmove(s + 2, s, (N - 2) * sizeof *s); }
APART void shift(struct mixed *s, int to, int from, int n) { memmove(s + to, s + from, n * sizeof *s); }
APART void part(struct mixed *s, size_t bytes) {
    memmove(s, s + 1, bytes);
    memmove(s + 2, s + 1, bytes);
}
static double constant(const double *x) {
    struct mixed s[N];
    load(s, x);
    down(s);
    s[N - 1].a = x[1];
    up(s);
    s[0].c *= x[0];
    return weigh(s);
}
static double variable(const double *x) {
    struct mixed s[N];
    load(s, x);
    shift(s, 0, 1, N - 1);
    s[N - 1].c = x[0] * x[0];
    shift(s, 1, 0, N - 1);
    s[0].a *= x[1];
    shift(s, 0, 2, 3);
    return weigh(s);
}
static double partial(const double *x) {
    struct mixed s[N];
    load(s, x);
    part(s, 2 * sizeof *s + offsetof(struct mixed, c));
    s[2].a *= x[1];
    part(s, sizeof *s + sizeof(double));
    return weigh(s);
}
/* As a loop, of which the compiler makes a copy; the first one goes to the end. */
APART void rotate(struct aimed *s, int n) {
    struct aimed first = s[0];
    for (int i = 1; i < n; i++) s[i - 1] = s[i];
    s[n - 1] = first;
}
APART void back(struct aimed *s) {
    struct aimed last = s[N - 1];
    memmove(s + 1, s, (N - 1) * sizeof *s);
    s[0] = last;
}
static double rotated(const double *x) {
    double d[N] = {x[0], x[1], x[0] * x[1], 1.0, x[1] * x[1]};
    struct aimed s[N];
    for (int i = 0; i < N; i++) s[i] = (struct aimed){d + i, x[i % 2] + i};
    rotate(s, N);
    *s[0].p = x[1] * s[0].w;
    rotate(s, 3);
    *s[2].p *= s[1].w;
    back(s);
    *s[0].p += s[1].w * s[2].w;
    double y = 0.0;
    for (int i = 0; i < N; i++) y += (i + 1) * *s[i].p * s[i].w;
    return y;
}

/* Of three, each by its own name. */
APART void turn(struct aimed *s) {
    struct aimed first = s[0];
    for (int i = 1; i < 3; i++) s[i - 1] = s[i];
    s[2] = first;
}
APART void turn_back(struct aimed *s) {
    struct aimed last = s[2];
    memmove(s + 1, s, 2 * sizeof *s);
    s[0] = last;
}
static double turned(const double *x) {
    double d[3] = {x[0], x[1], 2.0};
    struct aimed s[3] = {{d, x[0]}, {d + 1, x[1]}, {d + 2, 1.5}};
    turn(s);
    *s[0].p = x[1] * s[0].w;
    return d[0] * s[1].w + 2 * d[1] + 3 * d[2] * d[1];
}
static double turned_back(const double *x) {
    double d[3] = {x[0], x[1], 2.0};
    struct aimed s[3] = {{d, x[0]}, {d + 1, x[1]}, {d + 2, 1.5}};
    turn_back(s);
    *s[2].p = x[1] * s[2].w;
    *s[1].p *= s[1].w;
    return d[0] * s[1].w + 2 * d[1] + 3 * d[2] * d[1];
}

AD_FUNCTIONAL(turned)
AD_FUNCTIONAL(turned_back)
AD_FUNCTIONAL(constant)
AD_FUNCTIONAL(variable)
AD_FUNCTIONAL(partial)
AD_FUNCTIONAL(rotated)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(constant, 2), CHECK_FUNCTIONAL(variable, 2), CHECK_FUNCTIONAL(partial, 2), CHECK_FUNCTIONAL(rotated, 2),
                          CHECK_FUNCTIONAL(turned, 2), CHECK_FUNCTIONAL(turned_back, 2)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* Floats lie between: differences see their steps, the two modes agree to their precision. */
        if (i < 3) cases[i].tol_diff = 1e-3, cases[i].tol_dot = 1e-6;
        check_random_points(&cases[i], 3, 0.3, 1.1);
    }
    return check_done();
}
