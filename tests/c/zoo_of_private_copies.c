/* Private copies of reals, which front ends pass to a parallel region as integers: limits that replace what is too small or too large (passes choose between
 * the bits then), values that are only stored, floats, copies that regions within the region get. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <omp.h>

#define APART __attribute__((noinline)) static

enum { N = 4, M = 23 };

APART void clip(double *e, int n, double least, double most) {
#pragma omp parallel for firstprivate(n, least, most)
    for (int i = 0; i < n; i++) {
        e[i] = e[i] * e[i] + 0.1 * i;
        if (e[i] < least) e[i] = least;
        if (e[i] > most) e[i] = most;
    }
}
APART void fill(double *to, int n, double first, double rest) {
#pragma omp parallel for firstprivate(first, rest)
    for (int i = 0; i < n; i++) to[i] = i % 5 ? rest : first;
}
/* `rest` is not used. */
APART void fill_all(double *to, int n, double first, double rest) {
#pragma omp parallel for firstprivate(first, rest)
    for (int i = 0; i < n; i++) to[i] += first;
}
APART void fill_floats(float *to, int n, float value) {
#pragma omp parallel for firstprivate(value)
    for (int i = 0; i < n; i++) to[i] = value;
}
static double limits(const double *x) {
    double e[M], s = 0;
    for (int i = 0; i < M; i++) e[i] = x[i % 2] * (0.5 + 0.1 * i);
    clip(e, M, x[2], 2 * x[3]);
    for (int i = 0; i < M; i++) s += e[i] * (1 + 0.2 * i);
    return s;
}
static double stored(const double *x) {
    double a[M], s = 0;
    float b[M];
    fill(a, M, x[0] * x[1], x[2]);
    fill_all(a, M, x[3], x[2]);
    fill_floats(b, M, (float)(x[3] * x[3]));
    for (int i = 0; i < M; i++) s += a[i] * (1 + i) * b[(i * 5) % M];
    return s;
}
/* The value of the last iteration comes out of the copy. */
static double handed_on(const double *x) {
    double shift = x[0] * x[1], last = 0, a[M], s = 0;
#pragma omp parallel for firstprivate(shift) lastprivate(last)
    for (int i = 0; i < M; i++) {
        shift = 0.5 * shift + x[i % N];
        if (omp_get_num_threads() == 1) shift = x[i % N];
        a[i] = i % 3 ? x[2] : x[3];
        last = x[1] * i;
    }
    for (int i = 0; i < M; i++) s += a[i] * a[M - 1 - i];
    return s + last * last;
}
static double within(const double *x) {
    double a[4][8], scale = x[0] + x[1], s = 0;
#pragma omp parallel for num_threads(2) firstprivate(scale)
    for (int i = 0; i < 4; i++) {
#pragma omp parallel for num_threads(2) firstprivate(scale)
        for (int k = 0; k < 8; k++) a[i][k] = k % 2 ? scale : scale * x[2] * k;
    }
    for (int i = 0; i < 32; i++) s += a[i / 8][i % 8] * a[i % 4][i / 4] * x[3];
    return s;
}

AD_FUNCTIONAL(limits)
static void stored_map(const double *x, double *y) {
    double a[M], s = 0;
    for (int i = 0; i < M; i++) a[i] = (i % 5 ? x[2] : x[0] * x[1]) + x[3];
    for (int i = 0; i < M; i++) s += a[i] * (1 + i) * (x[3] * x[3]);
    y[0] = s;
}
static void stored_tangent(const double *x, const double *xd, double *y, double *yd) { (void)y, yd[0] = __ad_tangent_double((void *)stored, x, xd); }
static void stored_adjoint(const double *x, double *xb, double *y, double *yb) { (void)y, (void)yb, __ad_adjoint_void((void *)stored, x, xb); }
AD_FUNCTIONAL(handed_on)
AD_FUNCTIONAL(within)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(limits, N), CHECK_FUNCTIONAL(handed_on, N), CHECK_FUNCTIONAL(within, N)};
    for (int threads = 1; threads <= 4; threads++) {
        omp_set_num_threads(threads);
        double x[N] = {0.7, 0.4, 0.9, 0.8};
        for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) check_at(&cases[i], x);
        check_case rounded = CHECK_FUNCTIONAL(stored, N);
        rounded.smooth = stored_map, rounded.tol_diff = 1e-5, rounded.tol_dot = 1e-5;
        check_at(&rounded, x);
    }
    return check_done();
}
