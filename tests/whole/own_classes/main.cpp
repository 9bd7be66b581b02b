// A request on a function of its own file, which calls virtual functions of classes of other files, and functions that
// throw; the request itself may be left by an exception.
#include "../../c/check.h"
#include "ad.h"
#include "shapes.h"

#include <stdexcept>

template <class... T> void __ad_tangent_void(void *, T...);
template <class... T> void __ad_adjoint_void(void *, T...);

static const Shape *shape;

static double area_of(const Shape &s, double size) { return s.area(size); }

static void model(const double *x, double *y) {
    y[0] = area_of(*shape, x[0]) * x[1];
    y[1] = root(x[0] - x[1] * limit);
}

static int caught;

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    try {
        __ad_tangent_void((void *)model, x, xd, y, yd);
    } catch (const std::domain_error &) {
        caught++;
    }
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    try {
        __ad_adjoint_void((void *)model, x, xb, y, yb);
    } catch (const std::domain_error &) {
        caught++;
    }
}

int main() {
    for (int kind = 0; kind < 2; kind++) {
        shape = make_shape(kind);
        check_case c = {};
        c.name = "classes of another file";
        c.n = 2, c.m = 2, c.primal = model, c.tangent = tangent, c.adjoint = adjoint;
        limit = 0.01;
        check_random_points(&c, 3, 0.2, 1.8);
        check_true("nothing was thrown", caught == 0);
        limit = 100;
        double x[2] = {1, 1}, d[2] = {1, 1}, y[2], yd[2] = {1, 1};
        tangent(x, d, y, yd);
        adjoint(x, d, y, yd);
        check_true("exceptions leave requests", caught == 2);
        caught = 0;
        delete shape;
    }
    return check_done();
}
