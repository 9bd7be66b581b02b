/* By-value and pointer arguments together: the by-value adjoints return, the pointer's accumulates in its shadow. */
#include "requests.h"

struct two { double a, b; };
extern struct two __ad_adjoint_two(void *f, ...);

enum { N = 4 };

static double blend(double a, const double *x, int n, double b, float c) {
    double sum = b * (double)c;
    for (int i = 0; i < n; i++) sum += a * x[i] * x[i] * b;
    return sum;
}

struct three { double a, b; float c; };
extern struct three __ad_adjoint_three(double (*f)(double, const double *, int, double, float), double, const double *, double *,
                                       int, double, float);
extern double __ad_tangent_typed(double (*f)(double, const double *, int, double, float), double, double, const double *,
                                 const double *, int, double, double, float, float);

int main(void) {
    double x[N], xd[N], xb[N] = {0}, norm = 0.0, a = 1.25, b = 0.75, ad = 0.5, bd = -0.25;
    float c = 2.5f, cd = 0.125f;
    check_fill(x, N, 0.5, 1.5), check_fill(xd, N, 0.5, 1.5);
    for (int i = 0; i < N; i++) norm += x[i] * x[i];
    struct three adjoint = __ad_adjoint_three(blend, a, x, xb, N, b, c);
    check_close("a", adjoint.a, b * norm, 1e-14);
    check_close("b", adjoint.b, c + a * norm, 1e-14);
    check_equal_bits("c", adjoint.c, b);
    double want = adjoint.a * ad + adjoint.b * bd + (double)adjoint.c * cd;
    for (int i = 0; i < N; i++) {
        check_close("x", xb[i], 2.0 * a * b * x[i], 1e-14);
        want += xb[i] * xd[i];
    }
    check_close("dot product", __ad_tangent_typed(blend, a, ad, x, xd, N, b, bd, c, cd), want, 1e-12);

    /* The same through `...`: c is promoted to double, and its adjoint is inactive here. */
    memset(xb, 0, sizeof xb);
    struct two two = __ad_adjoint_two((void *)blend, a, x, xb, N, b, ad_const, c);
    check_close("variadic: a", two.a, b * norm, 1e-14);
    check_close("variadic: b", two.b, c + a * norm, 1e-14);
    for (int i = 0; i < N; i++) check_close("variadic: x", xb[i], 2.0 * a * b * x[i], 1e-14);
    return check_done();
}
