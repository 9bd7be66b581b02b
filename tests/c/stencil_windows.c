/* Loops whose reverse adds to several neighbouring adjoints per iteration: on views of one array that lie apart, meet, overlap or are the
 * same, for all small lengths and some long ones. State is the whole array. The tangent is held against central differences, the adjoint
 * against the tangent: in the one no cell is worked on twice, in the other each is. */
// ad-switches: what is overwritten and needed before
// ad-long: many loops
#include "requests.h"

enum { SIZE = 1024, ROW = 18 };

typedef void kernel(int n, double *x, double *y);

static void three(int n, double *x, double *y) {
    for (int i = 1; i < n - 1; i++) y[i] = 0.3 * x[i - 1] * x[i] + 0.5 * x[i] - 0.2 * x[i + 1] * x[i];
}
static void down(int n, double *x, double *y) {
    for (int i = n - 2; i > 0; i--) y[i] = 0.3 * x[i - 1] * x[i] + 0.5 * x[i] - 0.2 * x[i + 1] * x[i];
}
static void five(int n, double *x, double *y) {
    for (int i = 2; i < n - 2; i++) y[i] = 0.1 * x[i - 2] + 0.2 * x[i - 1] * x[i + 2] + 0.3 * x[i] + 0.2 * x[i + 1];
}
static void central(int n, double *x, double *y) { /* a gap: the middle one is not read */
    for (int i = 1; i < n - 1; i++) y[i] = 0.3 * y[i] + 0.5 * x[i + 1] * x[i + 1] - 0.4 * x[i - 1];
}
static void wide(int n, double *x, double *y) {
    for (int i = 4; i < n - 4; i++) y[i] = 0.5 * x[i + 4] - 0.25 * x[i - 4] * x[i];
}
static void far(int n, double *x, double *y) { /* farther than is carried, and by more than some loops are long */
    for (int i = 0; i < n - 40; i++) y[i] = x[i] * x[i + 20] - 0.3 * x[i + 40] + x[i + 1];
}
static void pairs(int n, double *x, double *y) { /* a stride of two, of which each half has its own cells */
    for (int i = 2; i < n - 3; i += 2) {
        y[i] = 0.5 * x[i - 2] * x[i + 1] + 0.3 * x[i] - 0.2 * x[i + 2];
        y[i + 1] = 0.5 * x[i - 1] * x[i] + 0.3 * x[i + 1] + 0.2 * x[i + 3];
    }
}
static void half(int n, double *x, double *y) { /* a stride of two, into one */
    for (int i = 0; i < n / 2 - 1; i++) y[i] = 0.25 * x[2 * i] + 0.5 * x[2 * i + 1] * x[2 * i] + 0.25 * x[2 * i + 2];
}
static void upwind(int n, double *x, double *y) {
    for (int i = 1; i < n - 1; i++) {
        double slope = x[i] > 0.3 ? x[i] - x[i - 1] : x[i + 1] - x[i];
        y[i] = x[i] - 0.1 * x[i] * slope + 0.05 * (x[i - 1] - 2.0 * x[i] + x[i + 1]);
    }
}
static void sometimes(int n, double *x, double *y) { /* neighbours are touched on some ways only */
    for (int i = 1; i < n - 1; i++) {
        double v = 0.5 * x[i];
        if (x[i] > 0.3) v += x[i - 1] * x[i];
        if (x[i] > 0.5) v -= 0.2 * x[i + 1];
        y[i] = v;
    }
}
static void on_all_ways(int n, double *x, double *y) { /* each way touches all, in another order */
    for (int i = 1; i < n - 1; i++)
        if (x[i] > 0.4) y[i] = x[i - 1] * 0.3 + 0.5 * x[i] * x[i + 1];
        else if (x[i] > 0.2) y[i] = x[i + 1] * 0.3 - x[i] * x[i - 1];
        else y[i] = 0.5 * sin(x[i] + x[i + 1] - x[i - 1]);
}
static void periodic(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] = 0.25 * x[i ? i - 1 : n - 1] + 0.5 * x[i] * x[i] + 0.25 * x[i + 1 < n ? i + 1 : 0];
}
static void forward(int n, double *x, double *y) { /* each is made of the one before, in place */
    for (int i = 1; i < n - 1; i++) x[i] = 0.3 * x[i - 1] * x[i] + 0.4 * x[i] + 0.2 * x[i + 1] + 0.1 * y[i];
}
static void backward(int n, double *x, double *y) {
    for (int i = n - 2; i > 0; i--) x[i] = 0.3 * x[i - 1] * x[i] + 0.4 * x[i] + 0.2 * x[i + 1] + 0.1 * y[i];
}
static void repeated(int n, double *x, double *y) { /* two terms for one cell, one of which was stored to between */
    for (int i = 1; i < n - 1; i++) {
        double a = x[i] * x[i + 1];
        y[i] = a + 0.5 * x[i - 1];
        y[i + 1] = 0.5 * y[i + 1] + 0.1 * a * x[i] + 0.2 * y[i] * x[i + 1];
    }
}
static void by_itself(int n, double *x, double *y) { /* terms that depend on what is added to */
    for (int i = 1; i < n - 1; i++) y[i + 1] = 0.5 * y[i + 1] + 0.3 * y[i] * x[i] + 0.2 * y[i - 1];
}
static void both(int n, double *x, double *y) {
    for (int i = 1; i < n - 1; i++) {
        double d = x[i + 1] - y[i - 1], s = x[i - 1] * y[i + 1];
        x[i] += 0.1 * d * y[i], y[i] -= 0.1 * s;
    }
}
static void total(int n, double *x, double *y) { /* a cell that all iterations add to */
    for (int i = 1; i < n - 1; i++) y[0] += 0.01 * x[i] * (x[i - 1] + x[i + 1]);
}
static void gathered(int n, double *x, double *y) { /* an address that nothing is known of */
    for (int i = 1; i < n - 1; i++) y[i] = 0.4 * x[i - 1] + 0.5 * x[i] * x[i + 1] + 0.3 * x[i * 7 % n];
}
static void rows(int n, double *x, double *y) {
    for (int i = 1; i + 1 < n / ROW; i++)
        for (int j = 1; j < ROW - 1; j++) {
            int c = i * ROW + j;
            y[c] = 0.5 * x[c] * x[c + 1] + 0.1 * (x[c - 1] + x[c - ROW] + x[c + ROW] * x[c]);
        }
}
static void rows_of_some(int n, double *x, double *y) { /* of a width that is not known here: n squared cells */
    int w = 0;
    while ((w + 1) * (w + 1) <= n) w++;
    for (int i = 1; i < w - 1; i++)
        for (int j = 1; j < w - 1; j++) {
            int c = i * w + j;
            double along = x[c] > 0.3 ? x[c] - x[c - 1] : x[c + 1] - x[c], across = x[c] > 0.5 ? x[c] - x[c - w] : x[c + w] - x[c];
            y[c] = x[c] - 0.1 * x[c] * (along + across) + 0.02 * (x[c - 1] + x[c + 1] + x[c - w] + x[c + w]);
        }
}
static void columns(int n, double *x, double *y) {
    for (int j = 1; j < ROW - 1; j++)
        for (int i = 1; i + 1 < n / ROW; i++) {
            int c = i * ROW + j;
            y[c] = 0.5 * x[c] * x[c + 1] + 0.1 * (x[c - 1] + x[c - ROW] + x[c + ROW] * x[c]);
        }
}
static void butterflies(int n, double *x, double *y) { /* in place: each cell is stored once, and its adjoint twice */
    for (int i = 0; i + 1 < n; i += 2) {
        double re = 0.3 * y[i] - 0.4 * y[i + 1], im = 0.3 * y[i + 1] + 0.4 * y[i];
        y[i] = x[i] - re, y[i + 1] = x[i + 1] - im;
        x[i] += re, x[i + 1] += im;
    }
}
static void halves(int n, double *x, double *y) { /* the same in two halves of one array */
    for (long i = 0, half = n / 2; i < half; i++) {
        double *upper = x + i, *lower = upper + half, moved = 0.9 * *lower;
        *lower = *upper - moved, *upper += moved;
    }
    (void)y;
}
static void singles(int n, double *x, double *y) { /* in single precision, where they lie */
    float *from = (float *)x, *to = (float *)y;
    for (int i = 1; i < 2 * n - 1; i++) to[i] = 0.25f * from[i - 1] * from[i] + 0.5f * from[i] + 0.25f * from[i + 1];
}

/* The array as doubles, or as floats in the same memory. */
typedef struct view { int is_float; } view;
static int cells(view v) { return v.is_float ? 2 * SIZE : SIZE; }
static double get(view v, const double *t, int i) { return v.is_float ? (double)((const float *)t)[i] : t[i]; }
static void put(view v, double *t, int i, double value) {
    if (v.is_float) ((float *)t)[i] = (float)value;
    else t[i] = value;
}

typedef void request(int n, double *t, double *s, int x, int y);
#define REQUESTS(f)                                                                                                    \
    static void f##_tangent(int n, double *t, double *d, int x, int y) {                                               \
        __ad_tangent_void((void *)f, n, t + x, d + x, t + y, d + y);                                                   \
    }                                                                                                                  \
    static void f##_adjoint(int n, double *t, double *b, int x, int y) {                                               \
        __ad_adjoint_void((void *)f, n, t + x, b + x, t + y, b + y);                                                   \
    }
REQUESTS(three) REQUESTS(down) REQUESTS(five) REQUESTS(central) REQUESTS(wide) REQUESTS(far) REQUESTS(pairs) REQUESTS(half)
REQUESTS(upwind) REQUESTS(sometimes) REQUESTS(on_all_ways) REQUESTS(periodic) REQUESTS(forward) REQUESTS(backward)
REQUESTS(repeated) REQUESTS(by_itself) REQUESTS(both) REQUESTS(total) REQUESTS(gathered) REQUESTS(rows) REQUESTS(rows_of_some)
REQUESTS(columns) REQUESTS(butterflies) REQUESTS(halves) REQUESTS(singles)

static double start[SIZE], direction[SIZE], moved[SIZE], seed[SIZE], forth[SIZE], back[SIZE];

/* The tangent against differences along the direction: the kernels are smooth but for choices, which the start keeps away from. */
static void differences(const char *name, view v, kernel *f, int n, int x, int y) {
    static double table[CHECK_LEVELS][2 * SIZE], sides[2][SIZE];
    double h = v.is_float ? 0.0 : 1e-3;
    if (v.is_float) return;
    for (int level = 0; level < CHECK_LEVELS; level++, h *= 0.5) {
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < SIZE; i++) sides[side][i] = start[i] + (side ? -h : h) * direction[i];
            f(n, sides[side] + x, sides[side] + y);
        }
        for (int i = 0; i < SIZE; i++) table[level][i] = (sides[0][i] - sides[1][i]) / (2.0 * h);
    }
    for (int i = 0; i < SIZE; i++) {
        double steps[CHECK_LEVELS];
        for (int level = 0; level < CHECK_LEVELS; level++) steps[level] = table[level][i];
        check_within(name, forth[i], check_extrapolate(steps, CHECK_LEVELS, NULL), 1e-8 * (1.0 + fabs(forth[i])));
    }
}

static void run(const char *name, view v, kernel *f, request *tangent, request *adjoint, int n, int x, int y, int differs) {
    double left = 0.0, right = 0.0, size = 0.0;
    for (int i = 0; i < cells(v); i++) {
        double value = check_uniform(0.05, 0.65);
        for (double edge = 0.2; edge < 0.55; edge += 0.1) /* 0.2, 0.3, 0.4, 0.5 */
            if (fabs(value - edge) < 0.01) value += 0.02;
        put(v, start, i, value), put(v, direction, i, check_uniform(-1.0, 1.0)), put(v, seed, i, check_uniform(-1.0, 1.0));
    }
    memcpy(moved, start, sizeof start), memcpy(forth, direction, sizeof forth);
    tangent(n, moved, forth, x, y);
    if (differs) differences(name, v, f, n, x, y);
    memcpy(moved, start, sizeof start), memcpy(back, seed, sizeof back);
    adjoint(n, moved, back, x, y);
    for (int i = 0; i < cells(v); i++) {
        double l = get(v, forth, i) * get(v, seed, i), r = get(v, direction, i) * get(v, back, i);
        left += l, right += r, size += fabs(l) + fabs(r);
    }
    check_within(name, right, left, (v.is_float ? 1e-6 : 1e-14) * size);
}

/* Where y lies, seen from x: apart on both sides, touching, overlapping by much and by one, shifted by one either way, the same. */
static void run_all(const char *name, int is_float, kernel *f, request *tangent, request *adjoint) {
    static const int lengths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 41, 42, 43, 60, 64, 81, 100, 129, 300};
    for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        int n = lengths[k], x = 330;
        int places[] = {x + n + 9, x - n - 9, x + n, x - n, x + n / 2, x - n / 2, x + n - 1, x + 1, x - 1, x + 2, x - 3, x};
        for (unsigned p = 0; p < sizeof places / sizeof *places; p++)
            run(name, (view){is_float}, f, tangent, adjoint, n, x, places[p], !is_float && n < 20 && p % 3 == 0);
    }
}
#define RUN(f, is_float) run_all(#f, is_float, f, f##_tangent, f##_adjoint)

/* What moves as NaN and infinity does so in a window too: the reverse of y[i] = a[i] x[i - 1] + x[i], at its closed form. */
static void scaled(int n, const double *a, const double *x, double *y) {
    for (int i = 1; i < n; i++) y[i] = a[i] * x[i - 1] + x[i];
}
static void infinite(void) {
    enum { N = 24 };
    double a[N], x[N], xb[N] = {0}, y[N], yb[N];
    for (int i = 0; i < N; i++) a[i] = i == 11 ? HUGE_VAL : 0.5, x[i] = 1.0, y[i] = 0.0, yb[i] = 1.0;
    __ad_adjoint_void((void *)scaled, N, ad_const, a, x, xb, y, yb);
    for (int i = 0; i < N; i++)
        if (i == 10) check_true("an infinite adjoint", !check_is_finite(xb[i]));
        else check_close("a finite one", xb[i], (i > 0) + (i < N - 1 ? 0.5 : 0.0), 1e-15);
}

int main(void) {
    RUN(three, 0), RUN(down, 0), RUN(five, 0), RUN(central, 0), RUN(wide, 0), RUN(far, 0), RUN(pairs, 0), RUN(half, 0);
    RUN(upwind, 0), RUN(sometimes, 0), RUN(on_all_ways, 0), RUN(periodic, 0), RUN(forward, 0), RUN(backward, 0);
    RUN(repeated, 0), RUN(by_itself, 0), RUN(both, 0), RUN(total, 0), RUN(gathered, 0), RUN(rows, 0), RUN(rows_of_some, 0);
    RUN(columns, 0), RUN(butterflies, 0), RUN(halves, 0), RUN(singles, 1);
    infinite();
    return check_done();
}
