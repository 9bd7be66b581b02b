/* Structs of floats in registers: two and three floats, a float beside an integer in one register. */
#include "requests.h"

#define KEPT __attribute__((noinline)) static

struct two { float a, b; };
struct three { float a, b, c; };
struct first { float value; int count; };
struct second { int count; float value; };

KEPT struct two mix(struct two p, float t) { return (struct two){p.a * t + p.b, p.b * t - p.a * p.b}; }
KEPT struct three cross(struct three p, struct three q) {
    return (struct three){p.b * q.c - p.c * q.b, p.c * q.a - p.a * q.c, p.a * q.b - p.b * q.a};
}
KEPT struct first grow(struct first f) {
    f.value *= (float)f.count;
    f.count++;
    return f;
}
KEPT struct second shrink(struct second s, float x) {
    s.value = s.value * x + (float)s.count;
    s.count -= 1;
    return s;
}

static void twos(const double *x, double *y) {
    struct two p = {(float)x[0], (float)x[1]};
    for (int i = 0; i < 3; i++) p = mix(p, (float)x[2]);
    y[0] = p.a;
    y[1] = p.b;
}
static void threes(const double *x, double *y) {
    struct three p = {(float)x[0], (float)x[1], (float)x[2]}, q = {(float)x[1], 2.0f, (float)x[0]};
    struct three r = cross(cross(p, q), q);
    y[0] = r.a + r.b;
    y[1] = r.b * r.c;
}
static void beside_integers(const double *x, double *y) {
    struct first f = {(float)x[0], 2};
    struct second s = {5, (float)x[1]};
    for (int i = 0; i < 3; i++) {
        f = grow(f);
        s = shrink(s, (float)x[2]);
    }
    y[0] = f.value;
    y[1] = s.value * (float)s.count;
}
AD_MAP(twos)
AD_MAP(threes)
AD_MAP(beside_integers)

static void twos_exact(const double *x, double *y) {
    double a = x[0], b = x[1];
    for (int i = 0; i < 3; i++) {
        double next = a * x[2] + b;
        b = b * x[2] - a * b;
        a = next;
    }
    y[0] = a, y[1] = b;
}
static void threes_exact(const double *x, double *y) {
    double p[3] = {x[0], x[1], x[2]}, q[3] = {x[1], 2.0, x[0]}, r[3];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++) r[i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
        memcpy(p, r, sizeof p);
    }
    y[0] = p[0] + p[1], y[1] = p[1] * p[2];
}
static void beside_integers_exact(const double *x, double *y) {
    double f = x[0] * 2 * 3 * 4, s = x[1];
    for (int i = 0; i < 3; i++) s = s * x[2] + (5 - i);
    y[0] = f, y[1] = s * 2;
}

int main(void) {
    check_case cases[] = {CHECK_MAP(twos, 3, 2), CHECK_MAP(threes, 3, 2), CHECK_MAP(beside_integers, 3, 2)};
    check_map exact[] = {twos_exact, threes_exact, beside_integers_exact};
    for (int i = 0; i < 3; i++) {
        cases[i].smooth = exact[i];
        cases[i].tol_closed = cases[i].tol_diff = 1e-5; /* float: 24 bits, in chains of products */
        cases[i].tol_dot = 1e-5; /* likewise */
        check_random_points(&cases[i], 3, 0.4, 1.2);
    }
    return check_done();
}
