// ad-levels: O0 O1 O2
// ad-i386: none, resources are refused there (AD022)
// Newton's method as people write it: a function object that captures by reference, a recursion that throws where it finds no root,
// the last guess in the exception, and the path in a buffer of its own. The loop's counter is captured, and so lies in memory.
#include "requests.h"

#include <cmath>
#include <functional>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <vector>

struct NoRoot : std::runtime_error {
    double best, residual;
    NoRoot(double b, double r) : std::runtime_error("no root near " + std::to_string(b)), best(b), residual(r) {}
};
static double newton(const std::function<double(double)> &f, double x, int depth, std::pmr::vector<double> &path) {
    path.push_back(x);
    double y = f(x), h = 1e-3, d = (f(x + h) - f(x - h)) / (2 * h);
    if (std::fabs(y) < 1e-12) return x;
    if (depth == 0) throw NoRoot(x, y);
    return newton(f, x - y / d, depth - 1, path);
}
static double of_roots(const double *p) {
    std::pmr::monotonic_buffer_resource pool;
    std::pmr::vector<double> path(&pool);
    double r = 0;
    for (int k = 0; k < 3; ++k) try {
            r += newton([&](double x) { return x * x * x - p[0] * x - p[1] - k; }, 2.0, k == 1 ? 2 : 12, path);
        } catch (const NoRoot &e) {
            r += e.best + 10 * e.residual + p[0] * path.back();
        } catch (const std::exception &) {
            r -= 1e6;
        }
    return r;
}
AD_FUNCTIONAL(of_roots)

int main() {
    check_case c = CHECK_FUNCTIONAL(of_roots, 2);
    c.step = 1e-3;
    check_random_points(&c, 4, 0.8, 1.6);
    return check_done();
}
