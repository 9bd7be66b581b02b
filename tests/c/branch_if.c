/* if, else if, nested if and the conditional operator: the derivative follows the branch that the primal took. */
#include "requests.h"

static double pieces(const double *x) {
    double y;
    if (x[0] < -1.0) {
        y = x[0] * x[1];
    } else if (x[0] < 0.0) {
        y = sin(x[0]) + x[1] * x[1];
    } else {
        if (x[1] > 0.0) y = exp(-x[0]) * x[1];
        else y = x[0] * x[0] * x[0];
    }
    return x[2] > 0.0 ? y * x[2] : y - x[2];
}
AD_FUNCTIONAL(pieces)
static void pieces_jacobian(const double *x, double *J) {
    double y, a, b;
    if (x[0] < -1.0) y = x[0] * x[1], a = x[1], b = x[0];
    else if (x[0] < 0.0) y = sin(x[0]) + x[1] * x[1], a = cos(x[0]), b = 2.0 * x[1];
    else if (x[1] > 0.0) y = exp(-x[0]) * x[1], a = -y, b = exp(-x[0]);
    else y = x[0] * x[0] * x[0], a = 3.0 * x[0] * x[0], b = 0.0;
    int is_scaled = x[2] > 0.0;
    J[0] = is_scaled ? a * x[2] : a;
    J[1] = is_scaled ? b * x[2] : b;
    J[2] = is_scaled ? y : -1.0;
}

/* A value that only one branch writes, and a branch that leaves it alone. */
static void guarded(const double *x, double *y) {
    y[0] = x[0];
    if (x[1] > 0.5) y[0] *= x[1];
    y[1] = y[0] * x[0];
}
AD_MAP(guarded)
static void guarded_jacobian(const double *x, double *J) {
    int taken = x[1] > 0.5;
    J[0] = taken ? x[1] : 1.0;
    J[1] = taken ? x[0] : 0.0;
    J[2] = 2.0 * x[0] * J[0];
    J[3] = taken ? x[0] * x[0] : 0.0;
}

int main(void) {
    check_case c = CHECK_FUNCTIONAL(pieces, 3), g = CHECK_MAP(guarded, 2, 2);
    c.jacobian = pieces_jacobian;
    g.jacobian = guarded_jacobian;
    const double first[] = {-1.7, -0.6, 0.8}, second[] = {-0.7, 0.9}, third[] = {-0.4, 1.2};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++) check_at(&c, (double[]){first[i], second[j], third[k]});
    check_at(&g, (double[]){1.3, 0.9});
    check_at(&g, (double[]){1.3, 0.2});
    return check_done();
}
