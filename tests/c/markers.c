/* The markers ad_const, ad_dup, ad_dupnoneed and ad_out before values and pointers, mixed with unmarked arguments. */
#include "requests.h"

struct two { double a, b; };
extern struct two __ad_adjoint_two(void *f, ...);

static double mix(int n, double a, const double *x, double b, const double *w) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a * x[i] * x[i] + b * w[i] * x[i];
    return sum;
}

static void scale(double a, const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = a * x[i];
}

enum { N = 4 };

int main(void) {
    double a = 1.5, b = 0.75, x[N], w[N], xd[N], wd[N], xb[N] = {0}, wb[N] = {0}, sum_xx = 0.0, sum_wx = 0.0;
    check_fill(x, N, 0.5, 1.5), check_fill(w, N, 0.5, 1.5), check_fill(xd, N, 0.5, 1.5), check_fill(wd, N, 0.5, 1.5);
    for (int i = 0; i < N; i++) sum_xx += x[i] * x[i], sum_wx += w[i] * x[i];

    struct two all = __ad_adjoint_two((void *)mix, N, ad_out, a, ad_dup, x, xb, b, w, wb);
    check_close("all: a", all.a, sum_xx, 1e-14);
    check_close("all: b", all.b, sum_wx, 1e-14);
    double ad = 0.7, bd = -0.3, tangent, want = ad * all.a + bd * all.b;
    tangent = __ad_tangent_double((void *)mix, ad_const, N, ad_dup, a, ad, x, xd, ad_dup, b, bd, ad_dup, w, wd);
    for (int i = 0; i < N; i++) {
        check_close("all: x", xb[i], 2.0 * a * x[i] + b * w[i], 1e-14);
        check_close("all: w", wb[i], b * x[i], 1e-14);
        want += xb[i] * xd[i] + wb[i] * wd[i];
    }
    check_close("all: dot product", tangent, want, 1e-12);

    /* The same function with fewer active arguments. */
    memset(xb, 0, sizeof xb);
    check_close("only a", __ad_adjoint_double((void *)mix, N, a, ad_const, x, ad_const, b, ad_const, w), sum_xx, 1e-14);
    check_close("only b", __ad_adjoint_double((void *)mix, N, ad_const, a, ad_const, x, ad_out, b, ad_const, w), sum_wx, 1e-14);
    __ad_adjoint_void((void *)mix, N, ad_const, a, x, xb, ad_const, b, ad_const, w);
    want = 0.0;
    for (int i = 0; i < N; i++) {
        check_close("only x", xb[i], 2.0 * a * x[i] + b * w[i], 1e-14);
        want += xb[i] * xd[i];
    }
    tangent = __ad_tangent_double((void *)mix, N, ad_const, a, x, xd, ad_const, b, ad_const, w);
    check_close("only x: dot product", tangent, want, 1e-12);

    /* ad_dupnoneed: the derivative is asked for, the primal result behind it is not. */
    double y[N], yd[N], yb[N] = {1.0, 2.0, 3.0, 4.0}, scale_a, want_a = 0.0;
    memset(xb, 0, sizeof xb);
    __ad_tangent_void((void *)scale, a, ad, x, xd, ad_dupnoneed, y, yd, N);
    scale_a = __ad_adjoint_double((void *)scale, a, x, xb, ad_dupnoneed, y, yb, N);
    for (int i = 0; i < N; i++) {
        check_close("scale: tangent", yd[i], ad * x[i] + a * xd[i], 1e-14);
        check_close("scale: adjoint", xb[i], a * (i + 1.0), 1e-14);
        check_equal_bits("scale: seed consumed", yb[i], 0.0);
        want_a += x[i] * (i + 1.0);
    }
    check_close("scale: a", scale_a, want_a, 1e-14);
    return check_done();
}
