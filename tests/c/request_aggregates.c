/* Structs, vectors and complex numbers by value as arguments and results of requests: in registers, alone or several to a
 * register, and in memory. Closed forms; the adjoint of each argument has the argument's type. */
#include "ad.h"
#include "check.h"
#include <complex.h>

typedef struct { double a, b; } pair;
typedef struct { float a, b; } floats;
typedef struct { float a, b, c; } three;
typedef struct { float x; int n; } counted;
typedef struct { double d[4]; int n; float f; } big;
typedef struct { double *p; long n; } span;
typedef struct { const double *a, *b; } two;
typedef struct { double *p; double w; int n; } weighted;
typedef float v2 __attribute__((vector_size(8)));
typedef float v4 __attribute__((vector_size(16)));
typedef double _Complex z64;
typedef float _Complex z32;

extern double __ad_tangent_double(void *, ...);
extern void __ad_adjoint_void(void *, ...);
extern pair __ad_adjoint_pair(void *, ...), __ad_tangent_pair(void *, ...);

static void many(const char *name, int n, const double *got, const double *want) {
    for (int i = 0; i < n; i++) {
        char text[80];
        snprintf(text, sizeof text, "%s, %d", name, i);
        check_close(text, got[i], want[i], 1e-13);
    }
}
#define MANY(name, got, ...)                                                                                     \
    many(name, sizeof((double[])__VA_ARGS__) / sizeof(double), (const double[])BRACED got, (const double[])__VA_ARGS__)
#define BRACED(...) {__VA_ARGS__}

static double doubles(pair s, double t) { return s.a * s.a * s.b * t; }
typedef struct { pair s; double t; } of_doubles;
extern of_doubles __ad_adjoint_doubles(void *, ...);
static void test_doubles(void) {
    pair s = {2, 3};
    of_doubles q = __ad_adjoint_doubles((void *)doubles, s, 5.0);
    MANY("doubles", (q.s.a, q.s.b, q.t), {60, 20, 12});
    pair p = __ad_adjoint_pair((void *)doubles, s, ad_const, 5.0);
    MANY("only the struct", (p.a, p.b), {60, 20});
    check_close("only the number", __ad_adjoint((void *)doubles, ad_const, s, 5.0), 12, 0);
    check_close("tangent", __ad_tangent_double((void *)doubles, s, (pair){1, 10}, 5.0, 100.0), 1460, 0);
}

static double small(floats s, three t, counted u) { return s.a * s.b * t.a * t.b * t.c * u.x * u.n; }
typedef struct { floats s; three t; counted u; } of_small;
extern of_small __ad_adjoint_small(void *, ...);
static void test_small(void) {
    floats s = {2, 3};
    three t = {1, 2, 3};
    counted u = {.5f, 4};
    of_small q = __ad_adjoint_small((void *)small, s, t, u);
    MANY("floats", (q.s.a, q.s.b, q.t.a, q.t.b, q.t.c, q.u.x, q.u.n), {36, 24, 72, 36, 24, 144, 0});
    double yd = __ad_tangent_double((void *)small, s, (floats){1, 0}, t, (three){0, 1, 0}, u, (counted){1, 0});
    check_close("tangent of floats", yd, 216, 0);
}

/* A struct of pointers is followed by a struct of their shadows. */
static double squares(span s, double w) {
    double sum = 0;
    for (int i = 0; i < s.n; i++) sum += s.p[i] * s.p[i] * w;
    return sum;
}
static double both(two s) { return s.a[0] * s.b[0] * s.a[1]; }
static void test_pointers(void) {
    double x[3] = {1, 2, 3}, xd[3] = {1, 1, 1}, xb[3] = {0}, y[1] = {7}, yd[1] = {1}, yb[1] = {0};
    span s = {x, 3}, sb = {xb, 3}, sd = {xd, 3};
    check_close("number beside span", __ad_adjoint((void *)squares, s, sb, 2.0), 14, 0);
    MANY("span", (xb[0], xb[1], xb[2]), {4, 8, 12});
    check_close("tangent of span", __ad_tangent_double((void *)squares, s, sd, 2.0, 1.0), 38, 0);
    xb[0] = xb[1] = 0;
    __ad_adjoint_void((void *)both, (two){x, y}, (two){xb, yb});
    MANY("two pointers", (xb[0], xb[1], yb[0]), {14, 7, 2});
    check_close("tangent of two", __ad_tangent_double((void *)both, (two){x, y}, (two){xd, yd}), 23, 0);
}

/* Reals beside pointers, or wherever the caller likes: a pointer to the shadow. */
__attribute__((noinline)) static double weigh(weighted m) {
    double sum = 0;
    for (int i = 0; i < m.n; i++) sum += m.p[i] * m.w * m.w;
    return sum;
}
static double in_memory(big b, double x) {
    double sum = 0;
    b.d[1] *= x;
    for (int i = 0; i < 4; i++) sum += b.d[i] * b.n * b.f;
    return sum;
}
typedef struct { big b; double x; } of_big;
extern of_big __ad_adjoint_big(void *, ...);
extern big __ad_tangent_big(void *, ...);
static const big value = {{1, 2, 3, 4}, 2, .5f}, direction = {{1, 1, 1, 1}, 0, 1};
static void test_memory(void) {
    double x[3] = {1, 2, 3}, xb[3] = {0};
    weighted m = {x, 2, 3}, mb = {xb, 100, 0};
    __ad_adjoint_void((void *)weigh, m, &mb);
    MANY("reals and pointers", (xb[0], xb[1], xb[2], mb.w, mb.n), {4, 4, 4, 124, 0});

    of_big q = __ad_adjoint_big((void *)in_memory, value, 3.0);
    MANY("in memory", (q.b.d[0], q.b.d[1], q.b.d[2], q.b.d[3], q.b.n, q.b.f, q.x), {1, 3, 1, 1, 0, 28, 2});
    check_close("tangent in memory", __ad_tangent_double((void *)in_memory, value, direction, 3.0, 1.0), 36, 0);
    big shadow = {{10, 20, 30, 40}, 7, 0};
    check_close("beside a shadow", __ad_adjoint((void *)in_memory, ad_dup, value, &shadow, 3.0), 2, 0);
    MANY("shadow", (shadow.d[0], shadow.d[1], shadow.d[2], shadow.d[3], shadow.n, shadow.f), {11, 23, 31, 41, 7, 28});
}

static double vectors(v2 a, v4 b) { return a[0] * a[1] * b[0] * b[3]; }
typedef struct { v2 a; v4 b; } of_vectors;
extern of_vectors __ad_adjoint_vectors(void *, ...);
static double complexes(z64 z, z32 w) { return creal(z * z) * crealf(w) * cimagf(w); }
typedef struct { z64 z; z32 w; } of_complexes;
extern of_complexes __ad_adjoint_complexes(void *, ...);
static void test_vectors(void) {
    of_vectors q = __ad_adjoint_vectors((void *)vectors, (v2){2, 3}, (v4){5, 0, 0, 7});
    MANY("vectors", (q.a[0], q.a[1], q.b[0], q.b[1], q.b[2], q.b[3]), {105, 70, 42, 0, 0, 30});
    double yd = __ad_tangent_double((void *)vectors, (v2){2, 3}, (v2){1, 0}, ad_const, (v4){5, 0, 0, 7});
    check_close("tangent of vectors", yd, 105, 0);
    of_complexes c = __ad_adjoint_complexes((void *)complexes, (z64)(1 + 2 * I), (z32)(3 + 4 * I));
    MANY("complex", (creal(c.z), cimag(c.z), crealf(c.w), cimagf(c.w)), {24, -48, -12, -9});
}

/* Results: the tangent has their type; their adjoint follows the arguments. */
static pair mix(pair s) { return (pair){s.a * s.b, s.a + s.b * s.b}; }
static big change(big b, double x) {
    b.d[0] *= x;
    b.f *= (float)b.d[1];
    return b;
}
static z64 square(z64 z) { return z * z; }
static z32 square32(z32 z) { return z * z; }
static three spread(float x) { return (three){x * x, 2 * x, x * x * x}; }
static counted count(double x) { return (counted){(float)(x * x), 3}; }
extern z64 __ad_tangent_z64(void *, ...), __ad_adjoint_z64(void *, ...);
extern z32 __ad_tangent_z32(void *, ...), __ad_adjoint_z32(void *, ...);
extern three __ad_tangent_three(void *, ...);
extern counted __ad_tangent_counted(void *, ...);
typedef struct { pair value, derivative; } pairs;
extern pairs __ad_tangent_pairs(void *, ...), __ad_adjoint_pairs(void *, ...);
typedef struct { pair d[2]; } pairs2;
extern pairs2 __ad_tangent_pairs2(void *, ...);
static void test_results(void) {
    pair s = {2, 3}, g = __ad_tangent_pair((void *)mix, s, (pair){1, 0});
    MANY("tangent of a result", (g.a, g.b), {3, 1});
    g = __ad_adjoint_pair((void *)mix, s, (pair){1, 10});
    MANY("adjoint of a result", (g.a, g.b), {13, 62});
    pairs p = __ad_tangent_pairs((void *)mix, ad_primal_return, s, (pair){1, 0});
    MANY("with the value", (p.value.a, p.value.b, p.derivative.a, p.derivative.b), {6, 11, 3, 1});
    p = __ad_adjoint_pairs((void *)mix, ad_primal_return, s, (pair){1, 10});
    MANY("adjoint with the value", (p.value.a, p.value.b, p.derivative.a, p.derivative.b), {6, 11, 13, 62});
    pairs2 w = __ad_tangent_pairs2((void *)mix, ad_width, 2, s, (pair){1, 0}, (pair){0, 1});
    MANY("two directions", (w.d[0].a, w.d[0].b, w.d[1].a, w.d[1].b), {3, 1, 2, 6});

    big h = __ad_tangent_big((void *)change, value, direction, 3.0, 1.0);
    MANY("tangent of a result in memory", (h.d[0], h.d[1], h.f, h.n), {4, 1, 2.5, 0});
    of_big q = __ad_adjoint_big((void *)change, value, 3.0, (big){{1, 1, 1, 1}, 5, 1});
    MANY("adjoint of it", (q.b.d[0], q.b.d[1], q.b.d[2], q.b.n, q.b.f, q.x), {3, 1.5, 1, 0, 2, 1});

    z64 z = __ad_tangent_z64((void *)square, (z64)(1 + 2 * I), (z64)1);
    MANY("complex result", (creal(z), cimag(z)), {2, 4});
    z = __ad_adjoint_z64((void *)square, (z64)(1 + 2 * I), (z64)1);
    MANY("its adjoint", (creal(z), cimag(z)), {2, -4});
    z32 c = __ad_tangent_z32((void *)square32, (z32)(1 + 2 * I), (z32)1);
    MANY("complex float result", (crealf(c), cimagf(c)), {2, 4});
    c = __ad_adjoint_z32((void *)square32, (z32)(1 + 2 * I), (z32)1);
    MANY("its adjoint in float", (crealf(c), cimagf(c)), {2, -4});

    three t = __ad_tangent_three((void *)spread, 3.0f, 1.0f);
    MANY("three floats", (t.a, t.b, t.c), {6, 2, 27});
    check_close("their adjoint", __ad_adjoint((void *)spread, 3.0f, (three){1, 10, 100}), 2726, 0);
    counted n = __ad_tangent_counted((void *)count, 3.0, 1.0);
    MANY("float beside int", (n.x, n.n), {6, 0});
    check_close("its adjoint", __ad_adjoint((void *)count, 3.0, (counted){1, 9}), 6, 0);
}

/* So many arguments that some come in memory, for the function, for the request or for both. */
static double crowd(pair a, double b, pair c, double d, pair e, span s, long i, span t, int j, pair f) {
    return a.a * c.b + e.a * e.b * b + d * s.p[0] * t.p[i] + j * f.a * f.b;
}
typedef struct { pair a; double b; pair c; double d; pair e, f; } of_crowd;
extern of_crowd __ad_adjoint_crowd(void *, ...);
static void test_crowd(void) {
    double x[2] = {3, 4}, xb[2] = {0}, xd[2] = {1, 2};
    pair one = {2, 5};
    span s = {x, 2}, sb = {xb, 2}, sd = {xd, 2};
    of_crowd q = __ad_adjoint_crowd((void *)crowd, one, 7.0, one, ad_out, 11.0, one, s, sb, 1L, s, sb, 3, one);
    MANY("many", (q.a.a, q.a.b, q.b, q.c.a, q.c.b, q.d, q.e.a, q.e.b, q.f.a, q.f.b), {5, 0, 10, 0, 2, 12, 35, 14, 15, 6});
    MANY("many, behind pointers", (xb[0], xb[1]), {44, 33});
    pair zero = {0, 0};
    double yd = __ad_tangent_double((void *)crowd, one, one, 7.0, 0.0, one, zero, 11.0, 1.0, ad_const, one, ad_dup, s, sd, 1L, s, sd, 3, one, one);
    check_close("many, tangent", yd, 10 + 12 + 44 + 66 + 60, 0);
}

/* Recursion, a loop with a tape, a struct that the function overwrites. */
static pair descend(pair s, int n) {
    if (n == 0) return s;
    for (int i = 0; i < n; i++) s.a = sin(s.a) + s.b * s.a;
    s.b *= s.a;
    return descend(s, n - 1);
}
static void test_recursion(void) {
    double h = 1e-5, yd[4];
    pair s = {0.4, 0.7}, base[2] = {{1, 0}, {0, 1}};
    for (int k = 0; k < 2; k++) {
        pair d = __ad_tangent_pair((void *)descend, s, base[k], 3);
        pair up = descend((pair){s.a + h * base[k].a, s.b + h * base[k].b}, 3);
        pair down = descend((pair){s.a - h * base[k].a, s.b - h * base[k].b}, 3);
        check_close("differences", d.a, (up.a - down.a) / (2 * h), 1e-7);
        check_close("differences", d.b, (up.b - down.b) / (2 * h), 1e-7);
        yd[2 * k] = d.a, yd[2 * k + 1] = d.b;
    }
    pair bar = __ad_adjoint_pair((void *)descend, s, 3, (pair){2, -3});
    MANY("transposed", (bar.a, bar.b), {2 * yd[0] - 3 * yd[1], 2 * yd[2] - 3 * yd[3]});
}

int main(void) {
    test_doubles();
    test_small();
    test_pointers();
    test_memory();
    test_vectors();
    test_results();
    test_crowd();
    test_recursion();
    return check_done();
}
