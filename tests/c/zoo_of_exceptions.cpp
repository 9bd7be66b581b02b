// ad-levels: O0 O1 O2
// ad-i386: none, strings beside active data are refused where an address has four bytes
// Exceptions of calls that are not inlined, caught by differentiated code: clean-ups on the way that change active memory, virtual calls,
// a hierarchy of errors with reals in them, std::function, and handlers that throw again. Each throws at some of the points.
#include "requests.h"

#include <stdexcept>
#include <vector>
#include <string>
#include <memory>
#include <functional>
#include <cmath>

// a cleanup on the way changes active memory; recursion
struct Scope {
    double *m, f;
    Scope(double *m, double f) : m(m), f(f) {}
    ~Scope() { *m = *m * f + 0.3; }
};
struct Low { double at; int depth; };
static double down(double *memory, double x, int d) {
    Scope s(memory, 0.5 + x * 0.1);
    memory[1] += memory[0] * x;
    if (x < 0.2) throw Low{x * memory[0], d};
    if (d == 0) return memory[1];
    double r = 0;
    for (int i = 0; i < 2; ++i) r += down(memory, x * (0.6 - 0.2 * i) - 0.05, d - 1) * memory[1];
    return r;
}
static double f1(const double *x) {
    double m[2] = {x[0], x[1]};
    double r = 0;
    for (int i = 0; i < 3; ++i) {
        try {
            r += down(m, x[2] + 0.7 * i, 2);
        } catch (Low &l) {
            r += l.at * l.depth + std::sin(m[0] * m[1]);
        }
    }
    return r;
}
AD_FUNCTIONAL(f1)

// virtual calls that throw
struct Model {
    virtual ~Model() {}
    virtual double eval(double x) const = 0;
};
struct Error : std::runtime_error {
    double residual;
    Error(const std::string &w, double r) : std::runtime_error(w), residual(r) {}
};
struct Linear : Model {
    double a;
    explicit Linear(double a) : a(a) {}
    double eval(double x) const override {
        if (x > 2) throw Error("too large", x * a);
        return a * x;
    }
};
struct Chain : Model {
    std::unique_ptr<Model> next;
    double w;
    Chain(std::unique_ptr<Model> n, double w) : next(std::move(n)), w(w) {}
    double eval(double x) const override {
        try {
            return next->eval(x * w) + x;
        } catch (const Error &e) {
            if (w > 1.15) throw;
            return e.residual * w + next->eval(x * 0.1);
        }
    }
};
static double f2(const double *x) {
    std::unique_ptr<Model> m(new Linear(x[0]));
    for (int i = 0; i < 4; ++i) m.reset(new Chain(std::move(m), 1.05 + 0.05 * i));
    double r = 0;
    for (int i = 0; i < 4; ++i) try {
            r += m->eval(x[1] + 0.3 * i);
        } catch (const std::runtime_error &e) {
            r += x[2] * (e.what()[0] == 't');
        }
    return r;
}
AD_FUNCTIONAL(f2)

// library exceptions and own ones at one handler, in recursion
static double walk(const std::vector<double> &v, std::size_t i, double y) {
    if (v.at(i) > 1.3) throw std::invalid_argument("walk: " + std::to_string(i));
    return i > 4 ? y : walk(v, i + 1, y * v[i] + 0.1) * v.at(i);
}
static double f3(const double *x) {
    std::vector<double> v(x, x + 4);
    double r = 0;
    for (int i = 0; i < 2; ++i) {
        v.push_back(x[i] * 0.3);
        try {
            r += walk(v, 0, x[0]);
        } catch (const std::exception &e) {
            r += x[1] * std::string(e.what()).size();
        }
    }
    return r;
}
AD_FUNCTIONAL(f3)

// hierarchy of own errors
struct Base { virtual ~Base() {} virtual double value() const = 0; };
struct D1 : Base { double v; D1(double v) : v(v) {} double value() const override { return v * v; } };
struct D2 : Base { std::vector<double> v; D2(double a) : v(3, a) {} double value() const override { return v[0] + v[1] * v[2]; } };
__attribute__((noinline)) static double pick(double x, int n) {
    if (n == 0) {
        if (x > 1.5) throw D1(x);
        if (x > 0.8) throw D2(x);
        return x * 3;
    }
    return pick(x * 1.1, n - 1) + pick(x * 0.9, n - 1);
}
static double f4(const double *x) {
    double r = 0;
    for (int i = 0; i < 3; ++i) try {
            r += pick(x[i], i);
        } catch (const Base &b) {
            r += b.value() * x[0];
        }
    return r;
}
AD_FUNCTIONAL(f4)

// std::function recursion, catch all
static double f5(const double *x) {
    std::function<double(double, int)> g = [&](double y, int n) -> double {
        if (y > 2.0) throw y * x[0];
        if (n == 0) return y * x[1];
        return g(y * 1.2, n - 1) + g(y + 0.2, n - 1);
    };
    double r = 0;
    for (int i = 0; i < 3; ++i) {
        try {
            r += g(x[i], 3);
        } catch (double d) {
            r += d * 2;
        }
    }
    try {
        r += g(x[1] + 0.7, 2);
    } catch (...) {
        r += x[2] * x[2];
    }
    return r;
}
AD_FUNCTIONAL(f5)
int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(f1, 3), CHECK_FUNCTIONAL(f2, 3), CHECK_FUNCTIONAL(f3, 4), CHECK_FUNCTIONAL(f4, 3), CHECK_FUNCTIONAL(f5, 3)};
    for (check_case &c : cases) {
        c.step = 2e-4, c.tol_diff = 1e-6; // no kink within a step
        check_random_points(&c, 20, 0.1, 2.1);
    }
    return check_done();
}
