#include "registries.h"
#include <cmath>

namespace {
struct Sine : Law {
    double p;
    explicit Sine(double q) : p(q) {}
    double at(double x) const override { return std::sin(p * x); }
};
struct Power : Law {
    double p;
    explicit Power(double q) : p(q) {}
    double at(double x) const override { return std::pow(x, p); }
};
Law *make_sine(double p) { return new Sine(p); }
const bool has_sine = Registry::get().add("sine", make_sine);
const bool has_power = Registry::get().add("power", [](double p) -> Law * { return new Power(p); });
} // namespace

int law_count() { return has_sine + has_power; }
