/* nexttoward, whose second argument is a long double: derivative 1 with respect to the first, 0 to the second. */
#include "requests.h"

static const long double target = 2.5L;

static double up(double x) { return nexttoward(x, target) * x; }
static double down(double x) { return nexttoward(x, -target) + x * x; }
static double self(double x) { return nexttoward(x, (long double)x) * 3.0; }
AD_VALUE(up)
AD_VALUE(down)
AD_VALUE(self)

static void up_jacobian(const double *x, double *J) { J[0] = 2.0 * x[0]; }
static void down_jacobian(const double *x, double *J) { J[0] = 1.0 + 2.0 * x[0]; }
static void self_jacobian(const double *x, double *J) { (void)x, J[0] = 3.0; }

int main(void) {
    check_case cases[] = {CHECK_VALUE(up), CHECK_VALUE(down), CHECK_VALUE(self)};
    cases[0].jacobian = up_jacobian, cases[1].jacobian = down_jacobian, cases[2].jacobian = self_jacobian;
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.5, 2.0);
    return check_done();
}
