// Handlers as people write them: for several classes of exceptions, the library's own among them, with messages, around virtual calls and
// callables, and classes that only the library knows.
// ad-flags: -std=c++20
// ad-i386: none, std::to_string keeps a variable number of arguments there (AD014)
#include "requests.h"

#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

enum { N = 3, M = 2 };

// Several classes, one of which has a real; the base is a class of the library.
struct error : std::runtime_error {
    double value;
    error(const std::string &what, double v) : std::runtime_error(what), value(v) {}
};
static double step(double v, int k) {
    if (v < 0.1) throw error("too small in step " + std::to_string(k), v);
    if (v > 5) throw std::range_error("too large");
    return v * v - 0.2;
}
static void steps(const double *x, double *y) {
    y[0] = y[1] = 0;
    for (int i = 0; i < N; i++) {
        double v = x[i] * 1.3;
        try {
            for (int k = 0; k < 4; k++) v = step(v, k), y[0] += v;
        } catch (const error &e) {
            y[1] += e.value * x[1];
        } catch (const std::exception &e) {
            if (v > 1e9) std::cerr << e.what() << "\n";
            y[1] += std::log(v);
        }
    }
}

// The message is kept.
static std::string last;
static double root(double v) {
    if (v < 0.6) throw std::invalid_argument("small: " + std::to_string(v));
    return std::sqrt(v);
}
static double safe(double v) {
    try {
        return root(v);
    } catch (const std::exception &e) {
        last = e.what();
        return 1e-2 * v * v * (double)last.size();
    }
}
static void messages(const double *x, double *y) { y[0] = safe(x[0]) * safe(x[2]), y[1] = safe(x[1]) + safe(0.1 * x[0]); }

// Virtual calls, a factory that knows no such class, and a handler within another.
struct model {
    virtual ~model() = default;
    virtual double price(double s) const = 0;
};
struct linear : model {
    double a;
    explicit linear(double v) : a(v) {}
    double price(double s) const override {
        if (s < 0.5) throw std::domain_error("spot");
        return a * s;
    }
};
struct square : model {
    double a;
    explicit square(double v) : a(v) {}
    double price(double s) const override {
        if (a * s > 0.4) throw std::overflow_error("overflow");
        return a * s * s;
    }
};
static std::unique_ptr<model> make(const std::string &kind, double a) {
    if (kind == "linear") return std::make_unique<linear>(a);
    if (kind == "square") return std::make_unique<square>(a);
    throw std::invalid_argument("unknown model " + kind);
}
static void prices(const double *x, double *y) {
    y[0] = y[1] = 0;
    for (const char *kind : {"linear", "square", "cubic"}) {
        try {
            auto m = make(kind, x[0]);
            for (int i = 0; i < N; i++) {
                try {
                    y[0] += m->price(x[i]);
                } catch (const std::exception &) {
                    y[1] += x[i] * x[1];
                }
            }
        } catch (const std::invalid_argument &e) {
            y[1] += (double)std::string(e.what()).find("cubic") * x[2];
        }
    }
}

// Callables, and handlers for either of two families.
static double run(const std::function<double(double)> &g, double v) {
    try {
        return g(v);
    } catch (const std::runtime_error &e) {
        return (double)std::string(e.what()).size() * v;
    } catch (const std::logic_error &) {
        return v * v;
    }
}
static void callables(const double *x, double *y) {
    std::vector<std::function<double(double)>> all{
        [&](double v) {
            if (v < 0.5) throw std::runtime_error("bad");
            return v * x[1];
        },
        [](double v) {
            if (v > 0.8) throw std::logic_error("big");
            return std::exp(v);
        }};
    y[0] = 0;
    for (auto &g : all)
        for (int i = 0; i < N; i++) y[0] += run(g, x[i]);
    y[1] = y[0] * x[2];
}

// A template whose exceptions only some callers catch, and an object that is destroyed on the way.
struct not_converged : std::runtime_error {
    double last;
    int steps;
    not_converged(const std::string &what, double v, int n) : std::runtime_error(what), last(v), steps(n) {}
};
struct flat : std::domain_error {
    using std::domain_error::domain_error;
};
struct guard {
    double &sum;
    double v;
    ~guard() { sum += v; }
};
template <class F> static double newton(F f, double v, int most) {
    for (int i = 0; i < most; i++) {
        auto [value, slope] = f(v);
        if (slope == 0) throw flat("flat");
        double by = value / slope;
        v -= by;
        if (std::fabs(by) < 1e-13) return v;
    }
    throw not_converged("no root after " + std::to_string(most), v, most);
}
static void newtons(const double *x, double *y) {
    double sum = 0;
    auto cube = [&](double v) {
        guard g{sum, 0.001 * v};
        return std::pair<double, double>(v * v * v - x[0], 3 * v * v);
    };
    y[0] = newton(cube, 1.0, 50);
    try {
        y[1] = newton(cube, 1.0, 2);
    } catch (const not_converged &e) {
        y[1] = e.last * e.steps * x[1];
    }
    try {
        y[1] += newton([&](double) { return std::pair<double, double>(x[0], 0.0); }, 1.0, 3);
    } catch (const std::runtime_error &) {
        y[1] = 0;
    } catch (const std::logic_error &) {
        y[1] *= x[1];
    }
    y[0] += sum;
}

// What the library throws.
static double at(const std::vector<double> &v, std::size_t i) {
    try {
        return v.at(i);
    } catch (const std::out_of_range &e) {
        return v.back() * (double)i + (e.what()[0] == '!');
    }
}
static void ranges(const double *x, double *y) {
    std::vector<double> v(x, x + N);
    v.push_back(x[0] * x[1]);
    y[0] = y[1] = 0;
    for (std::size_t i = 0; i < 7; i++) y[0] += at(v, i) * at(v, i / 2);
    std::map<std::string, double> m{{"a", x[0]}, {"b", x[1] * x[2]}};
    for (const char *key : {"a", "b", "c"}) {
        try {
            y[1] += m.at(key) * x[2];
        } catch (const std::exception &e) {
            y[1] += std::sin(x[1]) * (e.what() != nullptr);
        }
    }
}

AD_MAP(steps)
AD_MAP(messages)
AD_MAP(prices)
AD_MAP(callables)
AD_MAP(newtons)
AD_MAP(ranges)

int main() {
    check_case cases[] = {CHECK_MAP(steps, N, M),     CHECK_MAP(messages, N, M), CHECK_MAP(prices, N, M),
                          CHECK_MAP(callables, N, M), CHECK_MAP(newtons, N, M),  CHECK_MAP(ranges, N, M)};
    for (auto &c : cases) check_random_points(&c, 6, 0.3, 1.1);
    return check_done();
}
