// ad-levels: O0 O1 O2
// ad-i386: none, strings beside active data are refused where an address has four bytes
// Exceptions out of calls that return pairs, vectors, complex numbers, tuples and owners, out of constructors and loops, that are thrown
// again or replaced in handlers, caught and differentiated. Each is thrown at some of the points.
#include "requests.h"

#include <array>
#include <complex>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
struct Fail { double at; std::string why; };
// results of all kinds
static std::pair<double, int> pair_of(double x, int d) {
    if (x < 0.3) throw Fail{x, "small value that does not fit in place"};
    if (d == 0) return {x * x, 2};
    auto a = pair_of(x * 0.8, d - 1);
    return {a.first * x, a.second + 1};
}
static std::vector<double> list_of(double x, int d) {
    if (x < 0.3) throw Fail{x * x, "list"};
    if (d == 0) return {x, x * x};
    auto v = list_of(x * 0.85, d - 1);
    v.push_back(v.back() * x);
    return v;
}
static std::complex<double> complex_of(std::complex<double> z, int d) {
    if (std::abs(z) < 0.4) throw z;
    if (d == 0) return z * z;
    return complex_of(z * std::complex<double>(0.8, 0.1), d - 1) * z;
}
static std::tuple<double, std::string, double *> tuple_of(double *m, double x, int d) {
    if (x < 0.3) throw Fail{x * *m, "tuple"};
    *m *= x;
    if (d == 0) return {x, "end", m};
    auto t = tuple_of(m, x * 0.85, d - 1);
    std::get<1>(t) += "s";
    std::get<0>(t) += *std::get<2>(t);
    return t;
}
static std::unique_ptr<double> owner_of(double x, int d) {
    auto p = std::make_unique<double>(x);
    if (x < 0.3) throw p.get() ? std::move(p) : nullptr;
    if (d == 0) return p;
    *p *= *owner_of(x * 0.9, d - 1);
    return p;
}
static double f1(const double *x) {
    double r = 0, m = x[1];
    for (int i = 0; i < 4; ++i) {
        double y = x[0] + 0.15 * i;
        try {
            auto p = pair_of(y, 3);
            r += p.first * p.second;
        } catch (const Fail &f) {
            r += f.at * f.why.size();
        }
        try {
            for (double v : list_of(y, 3)) r += v * x[1];
        } catch (const Fail &f) {
            r += f.at * f.why.size() * x[1];
        }
        try {
            r += std::norm(complex_of({y, x[1]}, 3));
        } catch (const std::complex<double> &z) {
            r += z.real() * x[0] - z.imag();
        }
        try {
            auto t = tuple_of(&m, y, 3);
            r += std::get<0>(t) * std::get<1>(t).size() + *std::get<2>(t);
        } catch (Fail f) {
            r += f.at * f.why.size() * m;
        }
        try {
            r += *owner_of(y, 3);
        } catch (const std::unique_ptr<double> &p) {
            r += *p * 7;
        }
    }
    return r;
}
AD_FUNCTIONAL(f1)
// classes: constructors that throw, members that are destroyed, nested handlers, errors of errors
struct Part {
    std::vector<double> v;
    Part(double x, int d) : v(2, x) {
        if (x > 1.6) throw std::length_error("part");
        if (d > 0) { Part p(x * 1.2, d - 1); v[0] += p.v[1] * x; }
    }
    ~Part() { v[0] = 0; }
};
struct Whole {
    Part a, b;
    double s;
    Whole(double x, double y) : a(x, 2), b(y, 2), s(a.v[0] * b.v[0]) { if (s > 6) throw Fail{s, "whole"}; }
};
static double nested(const double *x, int d) {
    double r = 0;
    try {
        try {
            Whole w(x[0] + 0.2 * d, x[1]);
            r = w.s;
            if (d < 3) r += nested(x, d + 1);
        } catch (const std::length_error &e) {
            if (d == 2) throw Fail{x[0] * 2, e.what()};
            r = x[1] * 3;
            if (d == 1) throw;
        }
    } catch (const std::logic_error &e) {
        r += x[0] * x[1];
        if (x[1] > 1.0) throw std::runtime_error(std::string("again ") + e.what());
    }
    return r;
}
static double f2(const double *x) {
    try {
        return nested(x, 0);
    } catch (const std::runtime_error &e) {
        return x[0] * x[0] * std::string(e.what()).size();
    } catch (const Fail &f) {
        return f.at * x[1] + f.why.size();
    }
}
AD_FUNCTIONAL(f2)
// loops that an exception leaves, with state that lasts
static double step(std::deque<double> &q, double x, int k) {
    for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] = q[i] * x + 0.1 * i;
        if (q[i] > 2.5) throw std::make_pair(q[i], k);
        if (k > 0 && i % 3 == 1) q[i] += step(q, x * 0.9, k - 1) * 0.05;
    }
    return q.front() + q.back();
}
static double f3(const double *x) {
    std::deque<double> q(x, x + 3);
    double r = 0;
    for (int k = 0; k < 5; ++k) {
        try {
            r += step(q, 1.0 + 0.3 * x[0], 2);
        } catch (const std::pair<double, int> &p) {
            r += p.first * (p.second + 1) * x[1];
            q.pop_back();
            q.push_front(x[2] * 0.5);
        }
    }
    return r + q[1];
}
AD_FUNCTIONAL(f3)
// std::exception_ptr-free retry with bad results as optional/variant
static std::optional<double> tried(const double *x, double y, int d) {
    try {
        if (y < 0.5) throw std::variant<double, int>(y * x[0]);
        if (y > 1.7) throw std::variant<double, int>(3);
        if (d == 0) return y;
        auto t = tried(x, y * 1.3 - 0.2, d - 1);
        return t ? *t * y : t;
    } catch (const std::variant<double, int> &v) {
        if (const double *p = std::get_if<double>(&v)) {
            if (d == 1) throw std::array<double, 2>{*p, x[1]};
            return *p;
        }
        return std::nullopt;
    }
}
static double f4(const double *x) {
    double r = 0;
    for (int i = 0; i < 5; ++i) try {
            auto t = tried(x, x[0] + 0.25 * i - 0.3, 2);
            r += t ? *t * x[1] : x[0];
        } catch (const std::array<double, 2> &a) {
            r += a[0] * a[1] * 4;
        }
    return r;
}
AD_FUNCTIONAL(f4)
int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(f1, 2), CHECK_FUNCTIONAL(f2, 2), CHECK_FUNCTIONAL(f3, 3), CHECK_FUNCTIONAL(f4, 2)};
    for (check_case &c : cases) {
        c.step = 2e-4, c.tol_diff = 1e-6; // no kink within a step
        check_random_points(&c, 20, 0.2, 1.5);
    }
    return check_done();
}
