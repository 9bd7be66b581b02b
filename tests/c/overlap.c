/* Pointer arguments that lie apart, touch, overlap, or are the same: each function is run on views of one array at all
 * distances. Where they lie apart, the gradient runs a version that relies on it; the numbers must not tell which one ran. */
// ad-switches: aliasing
// ad-long: many loops
#include "requests.h"

enum { M = 64, N = 6 };

static int first, second, third, count; /* where the views begin, and how long they are */

/* A map of the whole array: what f leaves in it. */
#define VIEWS(f, ...)                                                                                                  \
    static void f##_map(const double *x, double *t) {                                                                  \
        memcpy(t, x, M * sizeof *t);                                                                                   \
        double *p = t + first, *q = t + second, *r = t + third;                                                        \
        (void)p, (void)q, (void)r;                                                                                     \
        f(__VA_ARGS__);                                                                                                \
    }

#define TWO(f)                                                                                                         \
    VIEWS(f, count, p, q)                                                                                              \
    static void f##_tangent(const double *x, const double *xd, double *t, double *td) {                                \
        memcpy(t, x, M * sizeof *t), memcpy(td, xd, M * sizeof *t);                                                    \
        __ad_tangent_void((void *)f, count, t + first, td + first, t + second, td + second);                           \
    }                                                                                                                  \
    static void f##_adjoint(const double *x, double *xb, double *t, double *tb) {                                      \
        memcpy(t, x, M * sizeof *t);                                                                                   \
        __ad_adjoint_void((void *)f, count, t + first, tb + first, t + second, tb + second);                           \
        for (int i = 0; i < M; i++) xb[i] += tb[i], tb[i] = 0.0;                                                       \
    }

#define THREE(f)                                                                                                       \
    VIEWS(f, count, p, q, r)                                                                                           \
    static void f##_tangent(const double *x, const double *xd, double *t, double *td) {                                \
        memcpy(t, x, M * sizeof *t), memcpy(td, xd, M * sizeof *t);                                                    \
        __ad_tangent_void((void *)f, count, t + first, td + first, t + second, td + second, t + third, td + third);    \
    }                                                                                                                  \
    static void f##_adjoint(const double *x, double *xb, double *t, double *tb) {                                      \
        memcpy(t, x, M * sizeof *t);                                                                                   \
        __ad_adjoint_void((void *)f, count, t + first, tb + first, t + second, tb + second, t + third, tb + third);    \
        for (int i = 0; i < M; i++) xb[i] += tb[i], tb[i] = 0.0;                                                       \
    }

#define CASE(f) {.name = #f, .n = M, .m = M, .primal = f##_map, .tangent = f##_tangent, .adjoint = f##_adjoint}

static void squares(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] = 0.5 * y[i] * y[i] + x[i] * x[i];
}
TWO(squares)

static void neighbours(int n, double *x, double *y) {
    for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] * x[i] * x[i + 1];
}
TWO(neighbours)

static void backwards(int n, double *x, double *y) {
    for (int i = n - 1; i >= 0; i--) y[n - 1 - i] = sin(x[i]) * x[i];
}
TWO(backwards)

static void walked(int n, double *x, double *y) { /* pointers that walk, to an end */
    for (double *end = x + n; x != end; x++, y += 2) *y = *x * *x + *y;
}
TWO(walked)

static void single(int n, double *x, double *y) { /* one element each, through a loop over neither */
    for (int i = 0; i < n; i++) *y = *y * *x + 0.1;
}
TWO(single)

static void chain(int n, double *x, double *y, double *z) {
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++) z[i] = sin(x[i] * y[i]) + 0.4 * z[i];
        for (int i = 0; i < n; i++) y[i] = 0.3 * z[i] * z[i] + 0.1 * x[i];
    }
}
THREE(chain)

static void product(int n, double *a, double *x, double *y) { /* a is 3 by n */
    for (int i = 0; i < 3; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
    }
}
THREE(product)

static void triangle(int n, double *l, double *x, double *y) { /* packed by columns, as a walk that gets shorter */
    for (int j = 0; j < n - 2; j++) {
        double factor = x[j];
        for (int i = j + 1; i < n - 2; i++) y[i] += l[i - j - 1] * factor * factor;
        l += n - 2 - j - 1;
    }
}
THREE(triangle)

static void upper(int n, double *x, double *y, double *z) { /* inner loops that begin where the outer one is */
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) z[j - i] += x[i] * x[j] * y[j];
}
THREE(upper)

static void copied(int n, double *x, double *y) {
    if (n > 0) memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < n; i++) y[i] = y[i] + x[i] * x[i];
    if (n > 0) memmove(x, y, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) y[i] *= x[i];
}
TWO(copied)

static int last = 3;
static void until(int n, double *x, double *y) { /* an exit that memory decides */
    for (int i = 0; i < n; i++) {
        y[i] = x[i] * x[i] * x[i];
        if (i == last) break;
    }
}
TWO(until)

static void halves(int n, double *x, double *y) { /* y does not reach as far as x */
    for (int i = 0; i < n; i++) y[i / 2] = y[i / 2] * x[i] + 0.3;
}
TWO(halves)

static void one_side(int n, double *x, double *y) { /* what is accessed hangs on the argument */
    if (n > 3)
        for (int i = 3; i < n; i++) y[i] = x[i] * x[i];
    else
        for (int i = 0; i < n; i++) y[-1 - i] = x[i + 2] * x[i] * y[-1 - i];
}
TWO(one_side)

/* Indices that wrap: from 5 to 7, then from 0. */
static void wrapping(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        unsigned j = ((unsigned)i + 5) & 7;
        y[j] = x[j] * x[j] + 0.2 * y[j];
    }
}
TWO(wrapping)

__attribute__((noinline)) static double step(double *x, double *y, int i) {
    y[i] = x[i] * y[i] + 0.1;
    return x[i];
}
static void calls(int n, double *x, double *y) { /* accesses in a function that is called */
    for (int i = 0; i < n; i++) y[i] = step(x, y, i) * x[i] + y[i] * y[i];
}
TWO(calls)

/* Members of one array of pairs: the spans overlap, the elements do not. */
static void members(int n, double *x, double *y) {
    for (int i = 0; i < n; i++) y[2 * i] = x[2 * i] * x[2 * i] + 0.5 * y[2 * i];
}
TWO(members)

static void run(const check_case *cases, int how_many, int lengths, int three) {
    first = 24;
    for (count = N; count > N - lengths; count--)
        for (int away = -13; away <= 13; away += three ? 3 : 1)
            for (int other = three ? -14 : 0; other <= 14; other += three ? 4 : 100) {
                second = first + away;
                third = first + (three ? other : 0);
                for (int i = 0; i < how_many; i++) check_random_points(&cases[i], 1, 0.3, 1.1);
            }
}

int main(void) {
    check_case two[] = {CASE(squares), CASE(neighbours), CASE(backwards), CASE(walked), CASE(single),
                        CASE(copied), CASE(until), CASE(halves), CASE(one_side), CASE(wrapping), CASE(calls), CASE(members)};
    run(two, sizeof two / sizeof *two, 2, 0);
    /* Nothing, and less than nothing: functions that begin with a test of it. */
    check_case none[] = {CASE(squares), CASE(neighbours), CASE(backwards), CASE(copied), CASE(until)};
    first = 24, second = 25;
    for (count = 0; count > -3; count--)
        for (int i = 0; i < 5; i++) check_random_points(&none[i], 1, 0.3, 1.1);
    check_case three[] = {CASE(chain), CASE(product), CASE(upper)};
    run(three, 3, 1, 1);
    check_case packed[] = {CASE(triangle)};
    run(packed, 1, 1, 1);
    return check_done();
}
