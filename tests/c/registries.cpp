// Registries of functions: objects of a hierarchy, each with a std::function, owned by a map and cloned; a solver that throws an
// exception with an active member, once where it is caught and once where it would leave the function.
// ad-flags: -std=c++20
// ad-i386: none, std::function copies what may be pointers (AD034 by AD203)
#include "requests.h"
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using function = std::function<double(const std::vector<double> &)>;
struct term {
    virtual ~term() = default;
    virtual double at(const std::vector<double> &) const = 0;
    virtual std::unique_ptr<term> clone() const = 0;
};
struct callable : term {
    function f;
    explicit callable(function f) : f(std::move(f)) {}
    double at(const std::vector<double> &v) const override { return f(v); }
    std::unique_ptr<term> clone() const override { return std::make_unique<callable>(f); }
};
struct registry {
    std::map<std::string, std::unique_ptr<term>> terms;
    void add(std::string name, function f) { terms.emplace(std::move(name), std::make_unique<callable>(std::move(f))); }
    registry copy() const {
        registry made;
        for (auto &[name, t] : terms) made.terms.emplace(name, t->clone());
        return made;
    }
};
static double registered(const double *x) {
    registry all;
    double twice = 2 * x[0];
    all.add("scale", [twice](const std::vector<double> &v) { return twice * v[0]; });
    all.add("product", [](const std::vector<double> &v) { return v[0] * v[1]; });
    all.add("polynomial", [c = std::vector<double>{x[0], 1, x[1]}](const std::vector<double> &v) {
        double sum = 0;
        for (double one : c) sum = sum * v[0] + one;
        return sum;
    });
    registry other = all.copy();
    std::vector<double> at{x[1], x[2]};
    double sum = 0;
    for (auto &[name, t] : other.terms) {
        sum = sum * 0.5 + t->at(at);
        at[0] = sum;
    }
    return sum;
}

struct stopped : std::runtime_error {
    double last;
    int steps;
    stopped(const std::string &why, double last, int steps) : std::runtime_error(why), last(last), steps(steps) {}
};
static double root(double of, int most) {
    double v = 1;
    for (int i = 0; i < most; i++) {
        double step = (v * v - of) / (2 * v);
        v -= step;
        if (fabs(step) < 1e-13) return v;
    }
    throw stopped("no root after " + std::to_string(most), v, most);
}
static double solved(const double *x) {
    double sum = root(x[0] + x[1], 60);
    try {
        sum += root(x[0] * x[2], 2);
    } catch (const stopped &s) {
        sum += s.last * s.steps * x[1];
    }
    return sum;
}
AD_FUNCTIONAL(registered)
AD_FUNCTIONAL(solved)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(registered, 3), CHECK_FUNCTIONAL(solved, 3)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.1);
    return check_done();
}
