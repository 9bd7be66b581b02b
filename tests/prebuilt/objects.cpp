// ad-library: objects.cpp
// ad-static: yes
// ad-link: -lm
/* A library in C++: virtual functions, containers, algorithms, exceptions inside, into the caller, and out of callbacks. */
#include <cmath>

#include "requests.h"

#include "lib/objects.h"

namespace {
enum { COUNT = 8 };
}
#define MAP(name)                                                                                                     \
    extern "C" void object_##name(const double *x, double *y);                                                        \
    static void name(const double *x, double *y) {                                                                    \
        double from[COUNT], to[COUNT];                                                                                \
        for (int i = 0; i < COUNT; i++) from[i] = x[i], to[i] = 0;                                                    \
        object_##name(from, to);                                                                                      \
        for (int i = 0; i < COUNT; i++) y[i] = to[i];                                                                 \
    }                                                                                                                 \
    AD_MAP(name)
OBJECTS(MAP)

// It throws where x[0] is more than 0.6.
static double into_caller(const double *x) {
    double v[2] = {x[0] * x[1], x[1]};
    return objects_checked(x[0], 0.36) * x[1] + v[0] * objects_checked(v[1], 1);
}
AD_FUNCTIONAL(into_caller)
static double quiet(double v) { return std::sin(v) * v; }
static double through_callback(const double *x) { return objects_guarded(quiet, x[0]) * x[1]; }
AD_FUNCTIONAL(through_callback)

static void check(check_case c) {
    c.step = 1e-3, c.tol_diff = 1e-7;
    check_random_points(&c, 2, 0.3, 0.9);
}

int main() {
#define RUN(name) check(CHECK_MAP(name, COUNT, COUNT));
    OBJECTS(RUN)
    // Left by exceptions in both modes, and right afterwards.
    for (int k = 0; k < 3; k++) {
        double x[2] = {0.7, 0.2}, xd[2] = {1, 1}, y = 0, yd = 0, thrown = 0;
        try {
            if (k == 1) into_caller_adjoint(x, xd, &y, &yd);
            else into_caller_tangent(x, xd, &y, &yd);
        } catch (double v) {
            thrown = v;
        }
        check_close("what was thrown", thrown, 2 * 0.7 * 0.7, 1e-15);
        check_case c = CHECK_FUNCTIONAL(into_caller, 2);
        c.step = 1e-3;
        check_random_points(&c, 2, 0.2, 0.58);
    }
    check(CHECK_FUNCTIONAL(through_callback, 2));
    return check_done();
}
