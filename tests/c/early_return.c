/* Several returns: guards at the start, a return out of a loop and out of a nest, returns of different values. */
// ad-switches: control flow
#include "requests.h"

enum { N = 5 };

static double guards(const double *x) {
    if (x[0] < 0.0) return 0.0;
    if (x[1] < 0.0) return x[0];
    if (x[2] < 0.0) return x[0] * x[1];
    return x[0] * x[1] * x[2];
}
static double find(const double *x) {
    double t = 1.0;
    for (int i = 0; i < N; i++) {
        t *= x[i];
        for (int j = 0; j < i; j++) {
            if (t < 0.2) return t * x[j];
            t += 0.1 * x[j];
        }
        if (t > 2.0) return t + x[i];
    }
    return t * t;
}
static void write_and_leave(const double *x, double *y) {
    y[0] = x[0] * x[1];
    y[1] = x[1];
    if (y[0] < 0.5) return;
    y[1] = y[0] * y[0];
    if (x[2] < 0.5) return;
    y[0] = sin(x[2]);
}
AD_FUNCTIONAL(guards)
AD_FUNCTIONAL(find)
AD_MAP(write_and_leave)

static void guards_jacobian(const double *x, double *J) {
    int zero = x[0] < 0.0, one = !zero && x[1] < 0.0, two = !zero && !one && x[2] < 0.0;
    J[0] = zero ? 0.0 : one ? 1.0 : two ? x[1] : x[1] * x[2];
    J[1] = zero || one ? 0.0 : two ? x[0] : x[0] * x[2];
    J[2] = zero || one || two ? 0.0 : x[0] * x[1];
}

/* Where the primal is constant all derivatives vanish, and the identity has nothing to compare. */
static void check_constant(void) {
    double x[3] = {-1.0, 2.0, 3.0}, xd[3] = {1.0, 1.0, 1.0}, xb[3] = {0.0, 0.5, 0.0};
    __ad_adjoint_void((void *)guards, x, xb);
    check_equal_bits("constant branch, tangent", __ad_tangent_double((void *)guards, x, xd), 0.0);
    check_equal_bits("constant branch, adjoint", xb[0], 0.0);
    check_equal_bits("constant branch, adjoint stays", xb[1], 0.5);
}

int main(void) {
    check_case g = CHECK_FUNCTIONAL(guards, 3), f = CHECK_FUNCTIONAL(find, N), w = CHECK_MAP(write_and_leave, 3, 2);
    g.jacobian = guards_jacobian;
    f.step = w.step = 0.004;
    check_at(&g, (double[]){1.5, -2.0, 0.7});
    check_at(&g, (double[]){1.5, 2.0, -0.7});
    check_at(&g, (double[]){1.5, 2.0, 0.7});
    check_at(&f, (double[]){0.9, 0.15, 0.8, 1.1, 0.4});
    check_at(&f, (double[]){1.4, 1.3, 1.2, 1.1, 1.2});
    check_at(&f, (double[]){0.9, 0.8, 0.9, 0.8, 0.9});
    check_at(&w, (double[]){0.3, 0.4, 0.9});
    check_at(&w, (double[]){1.3, 0.9, 0.2});
    check_at(&w, (double[]){1.3, 0.9, 0.9});
    check_constant();
    return check_done();
}
