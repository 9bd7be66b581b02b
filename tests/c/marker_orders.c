/* Shadows behind all values (interleave), shadows of several directions side by side (dupv), what is said of the result: in both
 * spellings, both modes, and split mode. */
#include "check.h"

extern int ad_const, ad_dup, ad_out, ad_width, ad_dupv, ad_dupnoneedv, ad_interleave, ad_primal_return, ad_const_return;
extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_out, enzyme_width, enzyme_dupv, enzyme_dupnoneedv, enzyme_interleave;
extern int enzyme_primal_return, enzyme_const_return, enzyme_noret, enzyme_active_return, enzyme_dup_return, enzyme_runtime_activity;
struct two { double a, b; };
struct mixed { double factor; const double *x; };
struct taped { void *tape; double value; };
extern double __enzyme_autodiff(void *, ...), __enzyme_fwddiff(void *, ...);
extern void __enzyme_autodiff_void(void *, ...), __enzyme_fwddiff_void(void *, ...);
extern struct two __enzyme_autodiff_two(void *, ...), __enzyme_fwddiff_two(void *, ...);
extern void *__enzyme_augmentfwd(void *, ...);
extern struct taped __enzyme_augmentfwd_both(void *, ...);
extern double __enzyme_reverse(void *, ...);
extern void __ad_adjoint_void(void *, ...), __ad_tangent_void(void *, ...);
extern double __ad_adjoint(void *, ...);

enum { N = 3, M = 2 };

static double scaled(double a, const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a * x[i] * x[i];
    return sum;
}
static void map(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = x[i] * x[(i + 1) % n] + x[i];
}
static double of_struct(struct mixed m, double s) { return s * m.factor * m.x[0] * m.x[1]; }
static double and_more(double a, double *out) {
    *out = a * a * a;
    return a * a;
}

static void interleaved(void) {
    double x[N] = {1, 2, 3}, xd[N] = {1, 0.5, -1}, xb[N] = {0}, y[N], yd[N], yb[N] = {1, -2, 0.5}, seed[N];
    double bar = __enzyme_autodiff((void *)scaled, enzyme_out, 2.0, enzyme_dup, x, enzyme_const, N, enzyme_interleave, xb);
    check_close("interleaved, by value", bar, 14, 1e-15);
    for (int i = 0; i < N; i++) check_close("interleaved, pointer", xb[i], 4 * x[i], 1e-15);
    double dot = __enzyme_fwddiff((void *)scaled, enzyme_dup, 2.0, enzyme_dup, x, N, enzyme_interleave, 0.25, xd);
    check_close("interleaved, tangent", dot, 0.25 * 14 + 4 * (1 + 1 - 3), 1e-14);
    memset(xb, 0, sizeof xb), memcpy(seed, yb, sizeof seed);
    __ad_tangent_void((void *)map, x, y, N, ad_interleave, xd, yd);
    __ad_adjoint_void((void *)map, x, ad_dup, y, ad_const, N, ad_interleave, xb, seed);
    check_dot("interleaved, a map", N, xd, xb, N, yd, yb, 1e-14);
    check_close("interleaved, a map", yd[0], 1 * 2 + 1 * 0.5 + 1, 1e-15);
    struct mixed m = {2, x}, mb = {0, xb};
    memset(xb, 0, sizeof xb);
    double sb = __enzyme_autodiff((void *)of_struct, enzyme_dup, m, enzyme_out, 3.0, enzyme_interleave, &mb);
    check_close("interleaved, struct", sb, 4, 1e-15);
    check_close("interleaved, struct", mb.factor + 10 * xb[0] + 100 * xb[1], 6 + 120 + 600, 1e-15);
    memset(xb, 0, sizeof xb);
    void *tape = __enzyme_augmentfwd((void *)scaled, enzyme_out, 2.0, x, N, enzyme_interleave, xb);
    bar = __enzyme_reverse((void *)scaled, enzyme_out, 2.0, x, N, enzyme_interleave, xb, 0.5, tape);
    check_close("interleaved, split", bar + 10 * xb[0] + 100 * xb[2], 7 + 20 + 600, 1e-15);
}

static void strided(int stride_of) {
    double x[N] = {1, 2, 3}, xd[M * N] = {1, 0.5, -1, 0, 1, 2}, xb[M * N] = {0}, y[N], yd[M * N], yb[M * N] = {1, -2, 0.5, 3, 1, -1}, seed[M * N];
    memcpy(seed, yb, sizeof seed);
    __enzyme_fwddiff_void((void *)map, enzyme_width, M, enzyme_dupv, sizeof(double) * N, x, xd, enzyme_dupnoneedv, stride_of * 8, y, yd, enzyme_const, N);
    __enzyme_autodiff_void((void *)map, enzyme_width, M, enzyme_dupv, stride_of * 8L, x, xb, enzyme_dupv, sizeof(double) * N, y, seed, N);
    for (int d = 0; d < M; d++) {
        check_dot("strided", N, xd + d * N, xb + d * N, N, yd + d * N, yb + d * N, 1e-14);
        for (int i = 0; i < N; i++) {
            int next = (i + 1) % N;
            check_close("strided, tangent", yd[d * N + i], (x[next] + 1) * xd[d * N + i] + x[i] * xd[d * N + next], 1e-14);
        }
    }
    double before[M * N];
    memcpy(before, xb, sizeof xb), memset(xb, 0, sizeof xb), memcpy(seed, yb, sizeof seed);
    __ad_adjoint_void((void *)map, &ad_width, M, ad_dupv, stride_of * 8L, x, xb, &ad_dupnoneedv, sizeof(double) * N, y, seed, N);
    for (int i = 0; i < M * N; i++) check_equal_bits("strided, the other names", xb[i], before[i]);
    struct two dots = __enzyme_fwddiff_two((void *)scaled, enzyme_width, 2, enzyme_dup, 2.0, 1.0, 0.0, enzyme_dupv, sizeof(double[N]), x, xd, N);
    check_close("strided and not", dots.a, 14 + 4 * (1 + 1 - 3), 1e-14);
    check_close("strided and not", dots.b, 4 * (0 + 2 + 6), 1e-14);
    struct two sums = __enzyme_autodiff_two((void *)scaled, enzyme_width, 2, enzyme_out, 2.0, enzyme_dupv, sizeof(double[N]), x, (memset(xb, 0, sizeof xb), xb), N);
    check_close("strided, by value", sums.a + 10 * sums.b, 14 + 140, 1e-14);
    for (int i = 0; i < M * N; i++) check_close("strided, by value", xb[i], 4 * x[i % N], 1e-14);
}

static void results(void) {
    double out, outb = 1, outd = 0;
    check_equal_bits("constant result", __enzyme_autodiff((void *)and_more, enzyme_const_return, enzyme_out, 3.0, enzyme_dup, &out, &outb), 27);
    outb = 1;
    check_equal_bits("constant result, the other name", __ad_adjoint((void *)and_more, ad_const_return, ad_out, 3.0, ad_dup, &out, &outb), 27);
    outb = 1;
    check_equal_bits("active result", __enzyme_autodiff((void *)and_more, enzyme_active_return, enzyme_out, 3.0, enzyme_dup, &out, &outb), 33);
    outb = 1;
    struct two both = __enzyme_autodiff_two((void *)and_more, enzyme_const_return, enzyme_primal_return, enzyme_out, 3.0, enzyme_dup, &out, &outb);
    check_close("constant result, returned", both.a + 100 * both.b, 9 + 2700, 0);
    __enzyme_fwddiff_void((void *)and_more, enzyme_const_return, 3.0, 1.0, &out, &outd);
    check_equal_bits("constant result, tangent", outd, 27);
    check_equal_bits("constant result, returned, tangent", __enzyme_fwddiff((void *)and_more, enzyme_const_return, enzyme_primal_return, 3.0, 1.0, &out, &outd), 9);
    check_equal_bits("derivative only", __enzyme_fwddiff((void *)and_more, enzyme_dup_return, enzyme_noret, enzyme_dup, 3.0, 1.0, &out, &outd), 6);
    check_equal_bits("derivative only, interleaved", __enzyme_fwddiff((void *)and_more, &enzyme_dup_return, &enzyme_noret, &enzyme_dup, 3.0, &out, &enzyme_interleave, 1.0, &outd), 6);
    both = __enzyme_fwddiff_two((void *)and_more, enzyme_dup_return, enzyme_primal_return, enzyme_dup, 3.0, 1.0, &out, &outd);
    check_close("result and derivative", both.a + 100 * both.b, 9 + 600, 0);

    outb = 1;
    struct taped taped = __enzyme_augmentfwd_both((void *)and_more, enzyme_primal_return, enzyme_out, 3.0, &out, &outb);
    check_equal_bits("split, result", taped.value, 9);
    check_equal_bits("split, with the adjoint", __enzyme_reverse((void *)and_more, enzyme_out, 3.0, &out, &outb, 0.5, taped.tape), 30);
    outb = 1;
    void *tape = __enzyme_augmentfwd((void *)and_more, enzyme_noret, enzyme_out, 3.0, &out, &outb);
    check_equal_bits("split, constant result", __enzyme_reverse((void *)and_more, enzyme_const_return, enzyme_out, 3.0, &out, &outb, tape), 27);
    double x[N] = {1, 2, 3}, xb[N] = {0}, y[N], yb[N] = {1, 0, 0};
    __enzyme_autodiff_void((void *)map, enzyme_noret, enzyme_runtime_activity, x, xb, y, yb, N);
    check_close("no result", xb[0] + 10 * xb[1], 3 + 10, 0);
}

int main(int argc, char **argv) {
    (void)argv;
    interleaved();
    strided(argc + N - 1);
    results();
    return check_done();
}
