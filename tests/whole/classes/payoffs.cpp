#include "classes.h"
#include <cmath>

namespace {
double helper(double x) { return std::exp(-x); }

struct Call final : Payoff {
    explicit Call(double strike) : strike(strike) {}
    double value(double spot) const override { return std::log1p(std::exp(spot - strike)); }
    double strike;
};

struct Smooth final : Payoff {
    explicit Smooth(double width) : width(width) {}
    double value(double spot) const override { return helper(spot / width); }
    double width;
};
} // namespace

std::unique_ptr<Payoff> call(double strike) { return std::make_unique<Call>(strike); }
std::unique_ptr<Payoff> smooth(double width) { return std::make_unique<Smooth>(width); }

const Book &book() {
    static const Book all = [] {
        Book b;
        b.push_back(call(1.0)), b.push_back(smooth(2.0)), b.push_back(call(0.25));
        return b;
    }();
    return all;
}

double checked(double x) {
    if (x < 0.0) throw std::domain_error("negative");
    return clamped(x, 0.1) + discount(x);
}
