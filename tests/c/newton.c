/* A while loop whose trip count depends on the data: Newton's iteration for sqrt and for a quintic's root. */
#include "requests.h"

static double newton_sqrt(double a) {
    double x = a;
    while (fabs(x * x - a) > 1e-13 * a) x = 0.5 * (x + a / x);
    return x;
}
AD_VALUE(newton_sqrt)
static void newton_sqrt_jacobian(const double *x, double *J) { J[0] = 0.5 / sqrt(x[0]); }

/* The root of x^5 + x = a; by the implicit function theorem dx/da = 1 / (5 x^4 + 1). */
static double quintic(double a) {
    double x = 1.0, step;
    do {
        step = (x * x * x * x * x + x - a) / (5.0 * x * x * x * x + 1.0);
        x -= step;
    } while (fabs(step) > 1e-12);
    return x;
}
AD_VALUE(quintic)
static void quintic_jacobian(const double *x, double *J) {
    double root = quintic(x[0]);
    J[0] = 1.0 / (5.0 * root * root * root * root + 1.0);
}

int main(void) {
    check_case first = CHECK_VALUE(newton_sqrt), second = CHECK_VALUE(quintic);
    /* The iteration stops when x is right to about 1e-13; its derivative has then converged to the square of an error
     * that is at most about 1e-6, times the curvature: 1e-11 covers it. */
    first.jacobian = newton_sqrt_jacobian, first.tol_closed = 1e-11;
    second.jacobian = quintic_jacobian, second.tol_closed = 1e-11;
    for (double a = 0.3; a < 400.0; a *= 2.3) check_at(&first, &a);
    for (double a = 0.5; a < 60.0; a *= 2.1) check_at(&second, &a);
    return check_done();
}
