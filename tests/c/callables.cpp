// Functions as values in C++: std::function with and without captures, lambdas handed to functions out of line, pointers
// to member functions (virtual ones too), function objects.
// ad-i386: none, refused for now at -O0: std::function copies what may be pointers (AD034 by AD203)
#include "requests.h"

#include <functional>

namespace {
enum { N = 4 };
#define NOINLINE __attribute__((noinline))

NOINLINE double integrate(const std::function<double(double)> &f, double from, double to) {
    double sum = 0.0, h = (to - from) / 4;
    for (int i = 0; i < 4; i++) sum += f(from + (i + 0.5) * h);
    return sum * h;
}
double wave(double t) { return std::sin(2.0 * t) * t; }
double by_function(const double *x) {
    double a = x[0], b = x[1];
    return integrate([a, b](double t) { return a * t * t + b; }, x[2], x[3]) * integrate([](double t) { return t * std::exp(t); }, a, b) +
           integrate(wave, x[1], x[2]);
}

template <typename F> NOINLINE double twice(F f, double t) { return f(f(t)) + f(t); }
double by_lambda(const double *x) {
    double a = x[0] * x[1];
    auto scale = [&](double t) { return a * t + x[3]; };
    return twice(scale, x[2]) * twice(wave, x[0]);
}

struct Model {
    double a, b;
    double linear(double t) const { return a * t + b; }
    NOINLINE double quadratic(double t) const { return a * t * t + b * t; }
    virtual double own(double t) const { return a * std::cos(b * t); }
};
struct Other : Model {
    double own(double t) const override { return b * std::sin(a * t) + t; }
};
typedef double (Model::*method)(double) const;
NOINLINE double call(const Model &m, method f, double t) { return (m.*f)(t); }
double by_method(const double *x) {
    Model m;
    Other o;
    m.a = x[0], m.b = x[1], o.a = x[2], o.b = x[3];
    const method methods[] = {&Model::linear, &Model::quadratic, &Model::own};
    double y = 1.0;
    for (int i = 0; i < 3; i++) y *= call(m, methods[i], x[i]) + call(o, methods[2 - i], x[i + 1]) + 2.0;
    return y;
}

struct Power {
    int n;
    double operator()(double t) const {
        double r = 1.0;
        for (int i = 0; i < n; i++) r *= t;
        return r;
    }
};
double by_object(const double *x) {
    double y = 0.0;
    for (int i = 0; i < N; i++) y += twice(Power{i}, x[i] * 0.5);
    return y;
}

AD_FUNCTIONAL(by_function)
AD_FUNCTIONAL(by_lambda)
AD_FUNCTIONAL(by_method)
AD_FUNCTIONAL(by_object)
} // namespace

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(by_function, N), CHECK_FUNCTIONAL(by_lambda, N), CHECK_FUNCTIONAL(by_method, N),
                          CHECK_FUNCTIONAL(by_object, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.2);
    return check_done();
}
