/* Structs that calling conventions pass and return in registers: pairs of doubles, of floats, doubles and integers, three
 * floats; through calls that stay calls. */
#include "requests.h"

#define KEPT __attribute__((noinline)) static

struct pair { double a, b; };
struct counted { double value; int count; };
struct tagged { int tag; double value; };

KEPT struct pair turn(struct pair p, double angle) {
    return (struct pair){p.a * cos(angle) - p.b * sin(angle), p.a * sin(angle) + p.b * cos(angle)};
}
KEPT struct counted add(struct counted c, double x) {
    c.value += x * x * c.count;
    c.count++;
    return c;
}
KEPT struct tagged choose(struct tagged t, double x) {
    if (t.tag % 2) t.value *= sin(x); else t.value += x;
    t.tag += 3;
    return t;
}
static void doubles(const double *x, double *y) {
    struct pair p = {x[0], x[1]};
    for (int i = 0; i < 3; i++) p = turn(p, x[2] * (i + 1) * p.a);
    y[0] = p.a;
    y[1] = p.b;
}
AD_MAP(doubles)

static void with_integers(const double *x, double *y) {
    struct counted c = {x[0], 1};
    struct tagged t = {1, x[1]};
    for (int i = 0; i < 4; i++) {
        c = add(c, x[2] * c.value);
        t = choose(t, c.value);
    }
    y[0] = c.value * c.count;
    y[1] = t.value * t.tag;
}
AD_MAP(with_integers)

/* Recursion over a struct that is returned. */
KEPT struct pair power(struct pair z, int n) {
    if (n == 0) return (struct pair){1.0, 0.0};
    struct pair below = power(z, n - 1);
    return (struct pair){below.a * z.a - below.b * z.b, below.a * z.b + below.b * z.a};
}
static void powers(const double *x, double *y) {
    struct pair p = power((struct pair){x[0], x[1]}, 5);
    y[0] = p.a;
    y[1] = p.a * p.b;
}
AD_MAP(powers)

static void powers_jacobian(const double *x, double *J) {
    double re = 1, im = 0, dre, dim, a = x[0], b = x[1];
    for (int i = 0; i < 4; i++) {
        double next = re * a - im * b;
        im = re * b + im * a;
        re = next;
    }
    dre = 5 * re, dim = 5 * im; /* 5 z^4 */
    double vre = re * a - im * b, vim = re * b + im * a;
    J[0] = dre, J[1] = -dim;
    J[2] = dre * vim + vre * dim, J[3] = -dim * vim + vre * dre;
}

int main(void) {
    check_case cases[] = {CHECK_MAP(doubles, 3, 2), CHECK_MAP(with_integers, 3, 2), CHECK_MAP(powers, 2, 2)};
    cases[2].jacobian = powers_jacobian;
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
