/* Parameters with `restrict`: gradients say of them what the function says. Pointers into them that are kept in memory, chosen, and recorded
 * for the reverse sweep; memory that is updated in place; arguments that are only read, which may be the same. */
#include "requests.h"

enum { N = 6 };

/* Pointers into both arrays in a table; what is read through them was written through the parameters, and the other way round. */
static void kept(const double *restrict x, double *restrict y) {
    double *rows[N];
    for (int i = 0; i < N; i++) y[i] = x[i] * x[i];
    for (int i = 0; i < N; i++) rows[i] = y + (i * 5) % N;
    for (int i = 0; i < N; i++) {
        *rows[i] = sin(*rows[i]) * y[(i + 1) % N];
        y[i] *= *rows[(i + 2) % N] + x[i];
    }
}
AD_MAP(kept)

/* Chosen in a loop of unknown length: the pointers are recorded, and what they lead to is read again. */
static void chosen(const double *restrict x, double *restrict y) {
    double work[2] = {x[0], x[1]}, *p = y;
    for (int i = 0; i < N; i++) y[i] = x[i];
    while (work[0] < 40.0) {
        work[0] = work[0] * 1.5 + work[1] * *p * *p;
        *p = *p * 0.5 + sin(x[1]);
        p = work[0] > 4.0 ? y + (p - y + 2) % N : work + 1;
        if (p == work + 1) work[1] += 0.25, p = y + 1;
    }
    y[N - 1] += work[0] * work[1];
}
AD_MAP(chosen)

typedef struct { const double *from; double *to; } ends;
__attribute__((noinline)) static void across(ends e, int i) { e.to[i] = e.to[i] * e.from[i] + cos(e.to[(i + 1) % N]); }
static void handed_on(const double *restrict x, double *restrict y) {
    ends e = {x, y};
    for (int i = 0; i < N; i++) y[i] = x[N - 1 - i];
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < N; i++) across(e, i), y[i] += x[i] * y[N - 1 - i];
}
AD_MAP(handed_on)

/* Both lead to the same numbers: nothing is written there, so `restrict` is kept. The shadows are one as well. */
static double product(const double *restrict a, const double *restrict b) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += a[i] * sin(b[i]) + b[i];
    return sum;
}
static void same_map(const double *x, double *y) { y[0] = product(x, x); }
static void same_tangent(const double *x, const double *xd, double *y, double *yd) {
    y[0] = product(x, x);
    yd[0] = __ad_tangent_double((void *)product, x, xd, x, xd);
}
static void same_adjoint(const double *x, double *xb, double *y, double *yb) {
    (void)yb;
    y[0] = product(x, x);
    __ad_adjoint_void((void *)product, x, xb, x, xb);
}

int main(void) {
    check_case same = {.name = "the same twice", .n = N, .m = 1, .primal = same_map, .tangent = same_tangent, .adjoint = same_adjoint};
    same.has_unit_seed = 1;
    check_case cases[] = {CHECK_MAP(kept, N, N), CHECK_MAP(chosen, N, N), CHECK_MAP(handed_on, N, N), same};
    for (int i = 0; i < 4; i++) check_random_points(&cases[i], 3, 0.3, 0.9);
    return check_done();
}
