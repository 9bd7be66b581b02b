/* Requests inside functions that are themselves inlined or differentiated code's neighbours: in a static inline helper,
 * behind a constant pointer argument, in both arms of an if, and in a function that is called from two places. */
#include "requests.h"

static double cubic(double x) { return x * x * x - x; }
static double cubic_closed(double x) { return 3.0 * x * x - 1.0; }

static inline __attribute__((always_inline)) double derivative(double x) { return __ad_adjoint_double((void *)cubic, x); }
static inline double slope(double x, double direction) { return __ad_tangent_double((void *)cubic, x, direction); }

static double newton_step(double x) { return x - cubic(x) / derivative(x); }

static double either(double x, int is_tangent) {
    if (is_tangent) return __ad_tangent_double((void *)cubic, x, 1.0);
    return __ad_adjoint_double((void *)cubic, x);
}

static double sum_of_slopes(const double *points, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += derivative(points[i]) + slope(points[i], 2.0);
    return sum;
}

int main(void) {
    for (double x = -2.0; x < 2.5; x += 0.5) {
        check_close("derivative", derivative(x), cubic_closed(x), 1e-14);
        check_close("slope", slope(x, 2.0), 2.0 * cubic_closed(x), 1e-14);
        check_equal_bits("either, same operations", either(x, 0), either(x, 1));
    }
    double x = 2.0;
    for (int i = 0; i < 20; i++) x = newton_step(x);
    check_close("Newton's root", x, 1.0, 1e-15);
    double points[4] = {0.5, 1.0, 1.5, 2.0}, want = 0.0;
    for (int i = 0; i < 4; i++) want += 3.0 * cubic_closed(points[i]);
    check_close("in a loop", sum_of_slopes(points, 4), want, 1e-14);
    check_close("again", sum_of_slopes(points, 4), want, 1e-14);
    return check_done();
}
