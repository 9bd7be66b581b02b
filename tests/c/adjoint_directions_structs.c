/* Adjoints in several directions of structs, vectors and complex numbers by value, of bits that integers hold, of pointers in structs, and of
 * loops that the reverse sweep passes by where nothing arrives: in each direction what a request for it alone returns. */
// ad-sanitizers: address
#include "ad.h"
#include "check.h"
#include <complex.h>

typedef struct { double a, b; } pair;
typedef struct { float x, y; int n; } counted;
typedef struct { double d[4]; int n; float f; } big;
typedef struct { double *p, *q; long n; } span;
typedef struct { double *p; double w; int n; } weighted;
typedef double _Complex z64;
enum { W = 2 };
typedef struct { pair s[W]; counted c[W]; double t[W]; } of_structs;
typedef struct { pair s; counted c; double t; } of_structs_alone;
typedef struct { big b[W]; z64 z[W]; } of_big;
typedef struct { big b; z64 z; } of_big_alone;
extern of_structs __ad_adjoint_structs(void *, ...);
extern of_structs_alone __ad_adjoint_structs_alone(void *, ...);
extern of_big __ad_adjoint_big(void *, ...);
extern of_big_alone __ad_adjoint_big_alone(void *, ...);
extern pair __ad_adjoint_pair(void *, ...);
extern double __ad_adjoint_number(void *, ...);
extern void __ad_adjoint_void(void *, ...);
typedef struct { pair p[W]; } pairs;
extern pairs __ad_adjoint_pairs(void *, ...);
extern void *__ad_augmented_void(void *f, ...);
extern pairs __ad_reverse_pairs(void *f, ...);

static double structs(pair s, counted c, double t, double *out) {
    *out = s.a * c.x * t;
    return s.a * s.b * t + c.x * c.y * c.n * s.a;
}
static void test_structs(void) {
    double out, b[W] = {0.5, -2.0}, b1[W] = {0.5, -2.0};
    pair s = {2.0, 3.0};
    counted c = {0.5f, 4.0f, 3};
    of_structs q = __ad_adjoint_structs((void *)structs, ad_width, W, s, c, 5.0, &out, &b[0], &b[1]);
    for (int k = 0; k < W; k++) {
        of_structs_alone r = __ad_adjoint_structs_alone((void *)structs, s, c, 5.0, &out, &b1[k]);
        check_equal_bits("pair a", q.s[k].a, r.s.a), check_equal_bits("pair b", q.s[k].b, r.s.b);
        check_equal_bits("float x", q.c[k].x, r.c.x), check_equal_bits("float y", q.c[k].y, r.c.y);
        check_true("integer", q.c[k].n == 0), check_equal_bits("number", q.t[k], r.t);
    }
    check_equal_bits("closed form", q.s[1].a, 15.0 + 6.0 - 5.0), check_equal_bits("closed form, other", q.s[0].a, 21.0 + 1.25);
}

static double in_memory(big b, z64 z, const double *x) {
    double sum = creal(z * z) * b.f;
    b.d[1] *= x[0];
    for (int i = 0; i < 4; i++) sum += b.d[i] * b.n * cimag(z * x[1]);
    return sum;
}
static void test_memory(void) {
    big value = {{1, 2, 3, 4}, 2, .5f};
    double x[2] = {3.0, 0.25}, xb[W][2] = {{0.0}}, xb1[2] = {0.0};
    of_big q = __ad_adjoint_big((void *)in_memory, ad_width, W, value, 1.0 + 2.0 * I, x, xb[0], xb[1]);
    of_big_alone r = __ad_adjoint_big_alone((void *)in_memory, value, 1.0 + 2.0 * I, x, xb1);
    big shadows[W] = {{{10, 20, 30, 40}, 7, 0}, {{0}, 1, 3}};
    double z[W][2];
    memset(xb[1], 0, sizeof xb[1]);
    typedef struct { z64 z[W]; } of_z;
    extern of_z __ad_adjoint_z(void *, ...);
    of_z beside = __ad_adjoint_z((void *)in_memory, ad_width, W, ad_dup, value, &shadows[0], &shadows[1], 1.0 + 2.0 * I, x, xb[0], xb[1]);
    memcpy(z, &beside, sizeof z);
    for (int k = 0; k < W; k++) {
        for (int i = 0; i < 4; i++) {
            check_equal_bits("array in a struct", q.b[k].d[i], r.b.d[i]);
            check_equal_bits("beside shadows", shadows[k].d[i], r.b.d[i] + (k == 0 ? 10 * (i + 1) : 0));
        }
        check_equal_bits("float beside it", q.b[k].f, r.b.f), check_true("integer", q.b[k].n == 0 && shadows[k].n == (k == 0 ? 7 : 1));
        check_equal_bits("complex", creal(q.z[k]), creal(r.z)), check_equal_bits("complex", cimag(q.z[k]), cimag(r.z));
        check_equal_bits("complex beside shadows", z[k][0], creal(r.z)), check_equal_bits("and its other part", z[k][1], cimag(r.z));
        for (int i = 0; i < 2; i++) check_equal_bits("pointer", xb[k][i], (k == 0 ? 2.0 : 1.0) * xb1[i]);
    }
}

static void spans(span s, weighted m, double *y) {
    double **rows = (double **)malloc(2 * sizeof *rows);
    rows[0] = s.p, rows[1] = s.q;
    for (long i = 0; i < s.n; i++) {
        double *row = rows[i % 2];
        y[i] = row[i] * m.w + m.p[i] * rows[1][0];
        rows[i % 2][i] = y[i] * m.w;
    }
    free(rows);
}
static void test_pointers(void) {
    double p[4] = {1, 2, 3, 4}, q[4] = {.5, .25, .125, .75}, w[4] = {2, 1, 3, 5}, y[4], pb[W][4], qb[W][4], wb[W][4], yb[W][4];
    check_seed(2), check_fill(pb[0], W * 4, -1, 1), check_fill(qb[0], W * 4, -1, 1), check_fill(wb[0], W * 4, -1, 1), check_fill(yb[0], W * 4, -1, 1);
    double pb1[W][4], qb1[W][4], wb1[W][4], yb1[W][4], p1[4], q1[4];
    memcpy(pb1, pb, sizeof pb), memcpy(qb1, qb, sizeof qb), memcpy(wb1, wb, sizeof wb), memcpy(yb1, yb, sizeof yb);
    memcpy(p1, p, sizeof p), memcpy(q1, q, sizeof q);
    weighted m = {w, 1.5, 0}, mb[W] = {{wb[0], 0.0, 0}, {wb[1], 10.0, 0}};
    __ad_adjoint_void((void *)spans, ad_width, W, (span){p, q, 4}, (span){pb[0], qb[0], 4}, (span){pb[1], qb[1], 4}, m, &mb[0], &mb[1], y, yb[0], yb[1]);
    for (int k = 0; k < W; k++) {
        double p2[4], q2[4];
        memcpy(p2, p1, sizeof p), memcpy(q2, q1, sizeof q);
        weighted mb1 = {wb1[k], k == 0 ? 0.0 : 10.0, 0};
        __ad_adjoint_void((void *)spans, (span){p2, q2, 4}, (span){pb1[k], qb1[k], 4}, m, &mb1, y, yb1[k]);
        check_equal_bits("real beside a pointer", mb[k].w, mb1.w);
        for (int i = 0; i < 4; i++) {
            check_equal_bits("p", pb[k][i], pb1[k][i]), check_equal_bits("q", qb[k][i], qb1[k][i]), check_equal_bits("w", wb[k][i], wb1[k][i]);
            check_equal_bits("y", yb[k][i], yb1[k][i]), check_same_primal("primal", p[i], p2[i]);
        }
    }
    check_true("something is left", pb[0][0] != pb[1][0] && mb[0].w != 0.0);
}

/* Two floats to a register, through calls that are not inlined; bits that are moved as integers. */
typedef struct { float a, b; } floats;
__attribute__((noinline)) static floats turn(floats f, float angle) { return (floats){f.a * angle - f.b, f.b * angle + f.a}; }
static uint64_t moved(const double *x) {
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    return bits;
}
static void registers(const double *x, double *y) {
    floats f = {(float)x[0], (float)x[1]};
    for (int i = 0; i < 3; i++) f = turn(f, (float)x[i]);
    uint64_t bits[2] = {moved(&x[1]), moved(&x[2])};
    double back[2];
    memcpy(back, bits, sizeof back);
    y[0] = f.a * back[1], y[1] = f.b * back[0];
}
static pair returned(const double *x, double s) {
    floats f = turn((floats){(float)x[0], (float)s}, (float)x[1]);
    return (pair){f.a * s, f.b * x[2]};
}
static void test_registers(void) {
    double x[3] = {0.75, 1.25, 0.5}, y[2], xb[W][3] = {{0.0}}, xb1[W][3] = {{0.0}}, yb[W][2] = {{1.0, 0.0}, {-0.5, 2.0}}, yb1[W][2];
    memcpy(yb1, yb, sizeof yb);
    __ad_adjoint_void((void *)registers, ad_width, W, x, xb[0], xb[1], y, yb[0], yb[1]);
    for (int k = 0; k < W; k++) {
        __ad_adjoint_void((void *)registers, x, xb1[k], y, yb1[k]);
        for (int i = 0; i < 3; i++) check_close("registers", xb[k][i], xb1[k][i], 1e-6);
    }
    check_true("registers differ", xb[0][0] != xb[1][0] && xb[0][2] != 0.0);
    /* The adjoints of the result follow, one for each direction. */
    pair seeds[W] = {{1.0, 0.0}, {0.5, -2.0}};
    typedef struct { double s[W]; } of_numbers;
    extern of_numbers __ad_adjoint_numbers(void *, ...), __ad_reverse_numbers(void *, ...);
    memset(xb, 0, sizeof xb), memset(xb1, 0, sizeof xb1);
    of_numbers all = __ad_adjoint_numbers((void *)returned, ad_width, W, x, xb[0], xb[1], 1.5, seeds[0], seeds[1]);
    double again[W][3] = {{0.0}};
    void *tape = __ad_augmented_void((void *)returned, ad_width, W, x, again[0], again[1], 1.5);
    of_numbers apart = __ad_reverse_numbers((void *)returned, ad_width, W, x, again[0], again[1], 1.5, seeds[0], seeds[1], tape);
    for (int k = 0; k < W; k++) {
        double alone = __ad_adjoint_number((void *)returned, x, xb1[k], 1.5, seeds[k]);
        check_close("result with members", all.s[k], alone, 1e-6), check_close("sweeps apart", apart.s[k], alone, 1e-6);
        for (int i = 0; i < 3; i++) check_close("its array", xb[k][i], xb1[k][i], 1e-6), check_close("apart", again[k][i], xb1[k][i], 1e-6);
    }
}

/* The losing loop gets nothing in one direction, something in the other. */
static void smaller(const double *x, const double *c, double *y, int n) {
    double first = 0.0, second = 0.0;
    for (int i = 0; i < n; i++) first += sin(x[i]) * x[0];
    for (int i = 0; i < n; i++) second += x[i] * x[i] * x[1];
    y[0] = fmin(first, second);
    y[1] = c[0] > 0.0 ? second : first;
    y[2] = fmax(first, c[1]);
}
static void test_zeros(void) {
    double x[4] = {0.5, 0.25, 0.75, 1.0}, y[3];
    for (int way = 0; way < 4; way++) {
        double c[2] = {way % 2 ? 1.0 : -1.0, way / 2 ? 100.0 : -100.0}, cb[W][2] = {{0.0}}, cb1[2] = {0.0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double xb[W][4] = {{0.0}}, yb[W][3] = {{0.0}};
                yb[0][i] = 1.0, yb[1][j] = 2.0;
                __ad_adjoint_void((void *)smaller, ad_width, W, x, xb[0], xb[1], c, cb[0], cb[1], y, yb[0], yb[1], 4);
                for (int k = 0; k < W; k++) {
                    double xb1[4] = {0.0}, yb1[3] = {0.0};
                    yb1[k ? j : i] = 1.0 + k;
                    __ad_adjoint_void((void *)smaller, x, xb1, c, cb1, y, yb1, 4);
                    for (int l = 0; l < 4; l++) check_close("smaller", xb[k][l], xb1[l], 1e-14);
                }
            }
    }
}

int main(void) {
    test_structs(), test_memory(), test_pointers(), test_registers(), test_zeros();
    return check_done();
}
