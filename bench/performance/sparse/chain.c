/* A chain of poses in the plane: each (x, y, angle), and between neighbours a measured motion. Residuals of all motions, and of the first pose.
 * Instance: poses. */
#include "sparse.h"

static long n;
static double *motions;

static void residuals(long poses, const double *restrict measured, const double *restrict pose, double *restrict r) {
    for (int k = 0; k < 3; k++) r[k] = pose[k];
    for (long i = 0; i + 1 < poses; i++) {
        const double *a = pose + 3 * i, *b = a + 3, *m = measured + 3 * i;
        double c = cos(a[2]), s = sin(a[2]), dx = b[0] - a[0], dy = b[1] - a[1];
        double *to = r + 3 * (i + 1);
        to[0] = c * dx + s * dy - m[0];
        to[1] = c * dy - s * dx - m[1];
        to[2] = sin(b[2] - a[2] - m[2]);
    }
}

static void value(const double *x, double *r) { residuals(n, motions, x, r); }
static void pattern(const double *x, const double *xs, double *r, double *rs) {
    __ad_pattern_void((void *)residuals, n, ad_const, motions, ad_dup, x, xs, ad_dup, r, rs);
}
static void tangent(const double *x, const double *xd, double *r, double *rd) {
    __ad_tangent_void((void *)residuals, n, ad_const, motions, ad_dup, x, xd, ad_dup, r, rd);
}
static void block(const double *x, const double *xd, double *r, double *rd) {
    __ad_tangent_void((void *)residuals, ad_width, SPARSE_BLOCK, n, ad_const, motions, ad_dupv, 3 * n * sizeof *x, x, xd, ad_dupv, 3 * n * sizeof *r, r,
                      rd);
}

int main(int count, char **arguments) {
    n = bench_size(count, arguments, 0);
    motions = bench_numbers(3 * n, -0.5, 1.0);
    double *x = bench_numbers(3 * n, -0.2, 0.2);
    for (long i = 0; i < n; i++) x[3 * i] += 0.3 * (double)i;
    sparse code = {3 * n, 3 * n, x, value, pattern, tangent, block};
    return sparse_run(&code, count, arguments);
}
