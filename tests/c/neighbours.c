/* Loops that read an element of an array in several iterations, where the array is overwritten afterwards: one copy of it may hold what
 * all of them read. Where the loop itself overwrites what it reads later, a copy made before would be wrong. */
// ad-long: many loops
#include "requests.h"

#define NOINLINE __attribute__((noinline))
enum { N = 14, ROUNDS = 3 };

static volatile int length = N;
static volatile int once = 3, never = 2; /* of so many elements, so many have two neighbours: one, none */

/* y = x, then rounds of f from y to a buffer and back. */
#define ROUNDS_OF(f)                                                                                                   \
    static void f##_rounds(const double *x, double *y) {                                                               \
        double *other = malloc(N * sizeof *other);                                                                     \
        for (int i = 0; i < N; i++) other[i] = y[i] = x[i];                                                            \
        for (int k = 0; k < ROUNDS; k++) f(length, y, other), f(length, other, y);                                     \
        f(once, y, other), f(once, other, y);                                                                          \
        f(never, y, other), f(never, other, y);                                                                        \
        free(other);                                                                                                   \
    }                                                                                                                  \
    AD_MAP(f##_rounds)

static void up(int n, const double *u, double *next) {
    for (int i = 1; i < n - 1; i++) next[i] = u[i] - 0.1 * u[i] * (u[i + 1] - u[i - 1]) + 0.05 * u[i - 1] * u[i + 1];
}
ROUNDS_OF(up)

static void down(int n, const double *u, double *next) {
    for (int i = n - 2; i > 0; i--) next[i] = u[i] - 0.1 * u[i] * (u[i + 1] - u[i - 1]) + 0.05 * u[i - 1] * u[i + 1];
}
ROUNDS_OF(down)

static void walking(int n, const double *u, double *next) { /* backwards, by pointers; a gap between the elements */
    if (n < 5) return;
    const double *p = u + n;
    double *q = next + n;
    while (p - u >= 4) --p, --q, *q = p[0] * p[-3] + 0.1 * p[-1] * p[0];
}
ROUNDS_OF(walking)

static void carried(int n, const double *u, double *next) { /* what the first iteration has instead is not in the array */
    double left = 0.75, further = 0.5;
    for (int i = 0; i < n - 1; i++) {
        double here = u[i];
        next[i] = 0.5 * here * u[i + 1] + 0.2 * left * here * here + 0.1 * left * further * u[i + 1];
        further = left, left = here;
    }
}
ROUNDS_OF(carried)

static void mixed(int n, const double *u, double *next) { /* further records beside the copy, of other sizes */
    for (int i = 1; i < n - 1; i++) {
        double s = u[i] * u[i + 1];
        if (s > 0.3) next[i] = 0.5 * sin(s) * u[i - 1] + 0.1 * s * s;
        else next[i] = 0.5 * s + 0.2 * cos(u[i - 1] * s);
    }
}
ROUNDS_OF(mixed)

static void sometimes(int n, const double *u, double *next) { /* not all elements are read */
    for (int i = 1; i < n - 1; i++) {
        next[i] = 0.9 * u[i];
        if (u[i] > 0.4) next[i] += 0.1 * u[i + 1] * u[i - 1] * u[i];
    }
}
ROUNDS_OF(sometimes)

static void in_place(int n, double *u, double *next) { /* read before they are overwritten */
    for (int i = 0; i < n - 2; i++) u[i] = 0.5 * u[i] * u[i + 1] + 0.4 * u[i + 2] * u[i + 1];
    for (int i = n - 1; i > 1; i--) u[i] = 0.5 * u[i] * u[i - 1] + 0.4 * u[i - 2] * u[i - 1] * next[i];
}
ROUNDS_OF(in_place)

static void relaxed(int n, double *u, double *next) { /* one neighbour is read after it was overwritten */
    for (int i = 1; i < n - 1; i++) u[i] = 0.6 * u[i] + 0.3 * u[i - 1] * u[i + 1] * u[i];
    for (int i = n - 2; i > 0; i--) u[i] = 0.6 * u[i] + 0.3 * u[i - 1] * u[i + 1] * u[i], next[i] += 0.1 * u[i];
}
ROUNDS_OF(relaxed)

static void shifted(int n, double *u, double *next) { /* stored two ahead, and read from there later */
    for (int i = 0; i < n - 3; i++) {
        u[i + 3] = 0.2 * u[i] * u[i + 1] + 0.5 * u[i + 3];
        next[i] = 0.9 * next[i] + 0.1 * u[i];
    }
}
ROUNDS_OF(shifted)

/* In each call the two are apart; those of different calls are not. */
static inline void cell(const double *restrict from, double *restrict to) { *to = 0.5 * *to + 0.3 * from[0] * from[1] * *to; }
static void cells(int n, double *u, double *next) {
    for (int i = 0; i < n - 2; i++) cell(u + i, u + i + 2);
    for (int i = 0; i < n - 2; i++) next[i] = 0.8 * next[i] * u[i] + 0.2 * u[i + 1];
}
ROUNDS_OF(cells)

/* Apart for as long as the call lasts, in one block of memory. */
static inline void sweep(int n, const double *restrict from, double *restrict to) {
    for (int i = 1; i < n - 1; i++) to[i] = from[i] * (1.0 + 0.1 * from[i - 1]) - 0.1 * from[i + 1] * from[i] * from[i - 1];
}
static void halves(int n, double *u, double *next) {
    int h = n / 2;
    for (int k = 0; k < 2; k++) sweep(h, u, u + h), sweep(h, u + h, u);
    for (int i = 0; i < n; i++) next[i] = 0.5 * next[i] + 0.5 * u[i];
}
ROUNDS_OF(halves)

static NOINLINE void called(int n, const double *u, double *next) { up(n, u, next); }
ROUNDS_OF(called)

static NOINLINE void deeper(int n, double *u, double *next, int depth) {
    if (depth == 0) return;
    for (int i = 1; i < n - 1; i++) next[i] = u[i] * (1.0 - 0.2 * u[i + 1]) + 0.1 * u[i - 1] * u[i + 1];
    deeper(n, next, u, depth - 1);
    for (int i = 1; i < n - 1; i++) u[i] = u[i] * (1.0 - 0.2 * next[i + 1]) + 0.1 * next[i - 1] * u[i + 1];
}
static void recursive(int n, double *u, double *next) { deeper(n, u, next, 3); }
ROUNDS_OF(recursive)

static void plane(const double *x, double *y) { /* two dimensions, buffers that change roles */
    enum { W = 4, H = N / W + 1 };
    double first[W * H], second[W * H], *now = first, *next = second;
    for (int i = 0; i < W * H; i++) first[i] = second[i] = x[i % N] + 0.01 * i;
    for (int k = 0; k < ROUNDS; k++) {
        for (int r = 1; r < H - 1; r++)
            for (int c = 1; c < W - 1; c++) {
                const double *p = now + r * W + c;
                next[r * W + c] = p[0] * (1.0 - 0.1 * p[0]) + 0.1 * (p[1] * p[-1] + p[W] * p[-W]);
            }
        double *t = now;
        now = next, next = t;
    }
    for (int i = 0; i < N; i++) y[i] = now[i];
}
AD_MAP(plane)

static double kept[N], found[N]; /* variables, not what arguments lead to */
static _Thread_local double own[N];
static void variables(const double *x, double *y) {
    int n = length;
    for (int i = 0; i < N; i++) kept[i] = found[i] = own[i] = x[i];
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 1; i < n - 1; i++) found[i] = kept[i] * (1.0 - 0.2 * kept[i + 1]) + 0.1 * kept[i - 1] * kept[i + 1];
        for (int i = 1; i < n - 1; i++) own[i] = found[i] * (1.0 - 0.2 * found[i + 1]) + 0.1 * found[i - 1] * found[i + 1];
        for (int i = n - 2; i > 0; i--) kept[i] = own[i] * (1.0 - 0.2 * own[i + 1]) + 0.1 * own[i - 1] * own[i + 1];
    }
    for (int i = 0; i < N; i++) y[i] = kept[i];
}
AD_MAP(variables)

#define OTHER_REALS(name, real, rounds)                                                                                \
    static void name(const double *x, double *y) {                                                                     \
        real a[N], b[N];                                                                                               \
        int n = length;                                                                                                \
        for (int i = 0; i < N; i++) a[i] = b[i] = (real)x[i];                                                          \
        for (int k = 0; k < rounds; k++) {                                                                             \
            for (int i = 1; i < n - 1; i++) b[i] = a[i] * (1 - (real)0.25 * a[i + 1]) + a[i - 1] * a[i + 1];           \
            for (int i = 1; i < n - 1; i++) a[i] = b[i] * (1 - (real)0.25 * b[i + 1]) + b[i - 1] * b[i + 1];           \
        }                                                                                                              \
        for (int i = 0; i < N; i++) y[i] = (double)a[i];                                                               \
    }
OTHER_REALS(in_float, float, 1)
OTHER_REALS(in_double, double, 1)
OTHER_REALS(in_long_double, long double, 3)
AD_MAP(in_float)
AD_MAP(in_long_double)

int main(void) {
    check_case cases[] = {CHECK_MAP(up_rounds, N, N),        CHECK_MAP(down_rounds, N, N),    CHECK_MAP(walking_rounds, N, N),
                          CHECK_MAP(carried_rounds, N, N),   CHECK_MAP(mixed_rounds, N, N),   CHECK_MAP(sometimes_rounds, N, N),
                          CHECK_MAP(in_place_rounds, N, N),  CHECK_MAP(relaxed_rounds, N, N), CHECK_MAP(shifted_rounds, N, N),
                          CHECK_MAP(cells_rounds, N, N),     CHECK_MAP(halves_rounds, N, N),  CHECK_MAP(called_rounds, N, N),
                          CHECK_MAP(recursive_rounds, N, N), CHECK_MAP(plane, N, N),          CHECK_MAP(in_long_double, N, N),
                          CHECK_MAP(variables, N, N)};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) check_random_points(&cases[i], 3, 0.3, 0.9);
    check_case rough = CHECK_MAP(in_float, N, N);
    rough.smooth = in_double;
    rough.tol_diff = 1e-5, rough.tol_dot = 1e-6; /* float: 24 bits, in rounds of sums */
    check_random_points(&rough, 3, 0.3, 0.9);
    return check_done();
}
