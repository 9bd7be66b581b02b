// Adjoints in several directions through containers, virtual functions and function objects, and left by an exception: each is the
// gradient of a request for its direction alone.
// ad-sanitizers: address
#include "ad.h"
#include "check.h"
#include <cmath>
#include <stdexcept>
#include <vector>

static const int W = 3;
typedef std::vector<double> numbers;

struct shape {
    virtual ~shape() {}
    virtual double area(const double *x) const = 0;
    double scale = 1.0;
};
struct square : shape {
    double area(const double *x) const override { return scale * x[0] * x[0] * x[1]; }
};
struct disc : shape {
    double radius;
    explicit disc(double r) : radius(r) {}
    double area(const double *x) const override { return scale * radius * std::sin(x[1]) * x[2]; }
};

__attribute__((noinline)) static double checked(double v, double limit) {
    if (v > limit) throw std::range_error("too large");
    return v * v;
}

static double objects(const numbers &x, numbers &y, double limit) {
    std::vector<shape *> shapes;
    for (size_t i = 0; i < x.size(); i++) {
        if (x[i] > 1.0) shapes.push_back(new square);
        else shapes.push_back(new disc(x[i] * x[0]));
        shapes.back()->scale = x[i];
    }
    double sum = 0.0;
    numbers work;
    for (shape *s : shapes) {
        work.push_back(s->area(x.data()));
        delete s;
    }
    for (double v : work) sum += checked(v, limit);
    auto weigh = [&](double v) { return v * sum + x[0]; };
    for (size_t i = 0; i < y.size(); i++) y[i] += weigh(work[i % work.size()]);
    return sum;
}

static double map(const numbers *x, numbers *y, double limit) { return objects(*x, *y, limit); }

static void together(const numbers &x, numbers *xb, numbers &y, numbers *yb, double limit) {
    __ad_adjoint<void>(map, ad_width, W, &x, &xb[0], &xb[1], &xb[2], &y, &yb[0], &yb[1], &yb[2], ad_const, limit);
}

int main() {
    check_seed(11);
    numbers x(6), start(4), xb[W], yb[W], seeds[W];
    check_fill(x.data(), 6, 0.5, 1.6), check_fill(start.data(), 4, 0.0, 1.0);
    for (int k = 0; k < W; k++) xb[k] = numbers(6), seeds[k] = numbers(4), check_fill(seeds[k].data(), 4, -1.0, 1.0), yb[k] = seeds[k];
    numbers y = start;
    bool is_thrown = false;
    try {
        numbers unused = start, xbs[W] = {xb[0], xb[1], xb[2]}, ybs[W] = {yb[0], yb[1], yb[2]};
        together(x, xbs, unused, ybs, 0.5);
    } catch (const std::range_error &) {
        is_thrown = true;
    }
    check_true("the exception leaves the request", is_thrown);
    together(x, xb, y, yb, 1e3);
    for (int k = 0; k < W; k++) {
        numbers y1 = start, xb1(6), yb1 = seeds[k];
        __ad_adjoint<void>(map, &x, &xb1, &y1, &yb1, ad_const, 1e3);
        bool is_something = false;
        for (int i = 0; i < 6; i++) check_close("x", xb[k][i], xb1[i], 1e-13), is_something |= xb1[i] != 0.0;
        for (int i = 0; i < 4; i++) check_close("y", yb[k][i], yb1[i], 1e-14), check_same_primal("primal", y[i], y1[i]);
        check_true("something is left", is_something && (k == 0 || xb[k][0] != xb[0][0]));
    }
    return check_done();
}
