/* Code written for Enzyme: its names for requests and markers mean the same. */
// ad-open: markers, results that are not read
#include "check.h"

extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_dupnoneed;
extern double __enzyme_autodiff(void *f, ...);
extern double __enzyme_fwddiff(void *f, ...);
extern void __enzyme_autodiff_void(void *f, ...);
extern void __enzyme_fwddiff_void(void *f, ...);

static double square(double x) { return x * x; }
static double scaled(double a, double x) { return a * x * x; }

static double weighted(const double *w, const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += w[i] * x[i] * x[i];
    return sum;
}

static void double_all(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = 2.0 * x[i] * x[i];
}

enum { N = 5 };
typedef double function(double);
struct two { double a, b; };
extern int enzyme_width;
extern struct two __enzyme_fwddiff_two(void *f, ...);
static double cube(double x) { return x * x * x; }
static function *const one = square, *const table[2] = {square, cube};
static const long widths[2] = {1, 2};

/* What is asked for is known where it is read from constants, at -O0 too. */
static void constants(void) {
    check_equal_bits("constant", __enzyme_autodiff((void *)one, 3.0), 6.0);
    check_equal_bits("constant table", __enzyme_autodiff((void *)table[0], 3.0), 6.0);
    check_equal_bits("constant table", __enzyme_autodiff((void *)table[1], 3.0), 27.0);
    struct two d = __enzyme_fwddiff_two((void *)square, enzyme_width, widths[1], 3.0, 1.0, 2.0);
    check_close("constant width", d.a + 100 * d.b, 6 + 1200, 0);
}

int main(void) {
    check_equal_bits("autodiff", __enzyme_autodiff((void *)square, 3.0), 6.0);
    check_equal_bits("fwddiff", __enzyme_fwddiff((void *)square, 3.0, 2.0), 12.0);
    check_equal_bits("out", __enzyme_autodiff((void *)square, enzyme_out, 3.0), 6.0);
    check_equal_bits("dup by value", __enzyme_fwddiff((void *)square, enzyme_dup, 3.0, 2.0), 12.0);
    check_equal_bits("const, out", __enzyme_autodiff((void *)scaled, enzyme_const, 5.0, enzyme_out, 3.0), 30.0);
    check_equal_bits("out, const", __enzyme_autodiff((void *)scaled, enzyme_out, 5.0, enzyme_const, 3.0), 9.0);
    check_equal_bits("const, dup", __enzyme_fwddiff((void *)scaled, enzyme_const, 5.0, enzyme_dup, 3.0, 1.0), 30.0);

    double w[N], x[N], xd[N], xb[N] = {0}, y[N], yd[N], yb[N], seed[N];
    check_fill(w, N, 0.5, 1.5), check_fill(x, N, 0.5, 1.5), check_fill(xd, N, 0.5, 1.5), check_fill(yb, N, 0.5, 1.5);
    __enzyme_autodiff_void((void *)weighted, enzyme_const, w, enzyme_dup, x, xb, enzyme_const, N);
    double tangent = __enzyme_fwddiff((void *)weighted, enzyme_const, w, enzyme_dup, x, xd, N), one = 1.0;
    for (int i = 0; i < N; i++) check_close("weighted", xb[i], 2.0 * w[i] * x[i], 1e-14);
    check_dot("weighted", N, xd, xb, 1, &tangent, &one, 1e-12);

    memcpy(seed, yb, sizeof seed);
    memset(xb, 0, sizeof xb);
    __enzyme_fwddiff_void((void *)double_all, enzyme_dup, x, xd, enzyme_dupnoneed, y, yd, enzyme_const, N);
    __enzyme_autodiff_void((void *)double_all, enzyme_dup, x, xb, enzyme_dupnoneed, y, seed, enzyme_const, N);
    for (int i = 0; i < N; i++) {
        check_close("double_all, tangent", yd[i], 4.0 * x[i] * xd[i], 1e-14);
        check_close("double_all, adjoint", xb[i], 4.0 * x[i] * yb[i], 1e-14);
        check_equal_bits("double_all, seed consumed", seed[i], 0.0);
    }
    check_dot("double_all", N, xd, xb, N, yd, yb, 1e-12);

    constants();
    /* No argument by value is active: what the prototype says it returns is not read. */
    memset(xb, 0, sizeof xb);
    double unused = __enzyme_autodiff((void *)weighted, enzyme_const, w, enzyme_dup, x, xb, enzyme_const, N);
    for (int i = 0; i < N; i++) check_close("result not read", xb[i], 2.0 * w[i] * x[i], 1e-14);
    return check_done();
}
