/* ad-levels: O0 O1 O2 O3
 * Tangents and adjoints of adjoints with memory of all kinds. What is a shadow inside is data outside: both must be kept apart where derivatives are
 * inlined into one function. */
#include <math.h>
#include <string.h>

#include "requests.h"

struct two { double a, b; };
extern struct two __ad_adjoint_two(void *, ...);
extern struct two __ad_tangent_two(void *, ...);
/* A function that changes its argument in place. */
static void step(double *x) { for (int i = 1; i < 3; i++) { x[i] = x[i] * x[i - 1]; x[i - 1] = sin(x[i]); } }
static double in_place(const double *x) { double y[3], yb[3] = {1, 2, 3}; memcpy(y, x, sizeof y); __ad_adjoint_void((void *)step, y, yb); return yb[0] * y[1] + yb[1] * yb[2] + y[0]; }
/* Reals by value, whose adjoints are returned. */
static double h(double a, double b) { return exp(a * b) * a; }
static double by_value(const double *x) { struct two d = __ad_adjoint_two((void *)h, x[0], x[1]); return d.a * d.b + d.a; }
/* Adjoints that are added up, seeds in memory. */
static void mapf(const double *x, double *y) { y[0] = x[0] * x[1]; y[1] = sin(x[1]) * x[2]; }
static double accumulated(const double *x) { double g[3] = {x[1], 0, 0}, y[2]; for (int k = 0; k < 3; k++) { double s[2] = {x[0] * k, 1 + x[2]}; __ad_adjoint_void((void *)mapf, x, g, y, s); } return g[0] * g[1] + g[2] * y[0]; }
/* Structs with pointers. */
struct in { int n; double *v; double scale; };
static double dot(struct in *p) { double s = 0; for (int i = 0; i < p->n; i++) s += p->v[i] * p->v[i] * p->scale; return s * p->scale; }
static double behind_pointers(const double *x) { double v[2] = {x[0], x[1]}, vb[2] = {0}; struct in p = {2, v, x[2]}, b = {0, vb, 0}; __ad_adjoint_void((void *)dot, &p, &b); return vb[0] * vb[1] + b.scale * vb[1]; }
/* A recursion that makes requests. */
static __attribute__((noinline)) double slope_of(const double *x, int k) { double g[3] = {0}, y[2], s[2] = {1, 0.5}; __ad_adjoint_void((void *)mapf, x, g, y, s); return k ? g[k % 3] * slope_of(g, k - 1) : g[0] + g[2]; }
static double in_a_recursion(const double *x) { return slope_of(x, 3); }
/* Two directions at once inside. */
static double in_two_directions(const double *x) { struct two t = __ad_tangent_two((void *)h, ad_width, 2, x[0], 1.0, 0.0, x[1], 0.0, 1.0); return t.a * t.b + t.b * x[2]; }
/* Structs by value. */
static double product(struct two p, float c) { return p.a * p.a * p.b * c; }
static double of_structs(const double *x) {
    struct two p = {x[0], x[1]}, d = __ad_adjoint_two((void *)product, p, ad_const, 2.0f);
    return d.a * d.b * x[2];
}

#define OF(g)                                                                                                    \
    static double g##_tangent(const double *x, const double *v) { return __ad_tangent_double((void *)g, x, v); } \
    static void g##_adjoint(const double *x, double *b) { __ad_adjoint_void((void *)g, x, b); }                  \
    static void g##_check(void) {                                                                                \
        double x[3] = {0.7, 0.4, 1.2}, v[3] = {0.3, -0.8, 0.5}, a[3], b[3], h = 1e-5;                            \
        for (int i = 0; i < 3; i++) a[i] = x[i] + h * v[i], b[i] = x[i] - h * v[i];                              \
        double want = (g(a) - g(b)) / (2 * h);                                                                   \
        check_within(#g, g##_tangent(x, v), want, 1e-8 * (1 + fabs(want)));                                      \
        double t = g##_tangent(x, v), xb[3] = {0};                                                               \
        g##_adjoint(x, xb);                                                                                      \
        check_within(#g " adjoint", xb[0] * v[0] + xb[1] * v[1] + xb[2] * v[2], t, 1e-12 * (1 + fabs(t)));       \
    }
OF(in_place)
OF(by_value)
OF(accumulated)
OF(behind_pointers)
OF(in_a_recursion)
OF(in_two_directions)
OF(of_structs)

int main(void) {
    in_place_check();
    by_value_check();
    accumulated_check();
    behind_pointers_check();
    in_a_recursion_check();
    in_two_directions_check();
    of_structs_check();
    return check_done();
}
