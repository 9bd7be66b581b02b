/* Heads, whose function is in one file and calls functions of others. */
#include "../../c/check.h"

void model(const double *x, double *y, int n);
void model_d(const double *x, const double *xd, double *y, double *yd, int n);
void model_b(const double *x, double *xb, double *y, double *yb, int n);
int steps(void);

static void primal(const double *x, double *y) { model(x, y, 3); }

static void tangent(const double *x, const double *xd, double *y, double *yd) { model_d(x, xd, y, yd, 3); }

static void adjoint(const double *x, double *xb, double *y, double *yb) { model_b(x, xb, y, yb, 3); }

int main(void) {
    const check_case c = {.name = "heads", .n = 3, .m = 2, .primal = primal, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&c, 3, 0.2, 1.8);
    int before = steps();
    double x[3] = {1, 2, 3}, y[2];
    model(x, y, 3);
    check_true("the state is the program's", before > 100 && steps() == before + 3);
    return check_done();
}
