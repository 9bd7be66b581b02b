#include "registries.h"
#include <cmath>

Registry &Registry::get() {
    static Registry one;
    return one;
}
bool Registry::add(const std::string &name, Maker maker) { return makers[name] = maker, true; }
std::unique_ptr<Law> Registry::make(const std::string &name, double parameter) const {
    auto found = makers.find(name);
    return std::unique_ptr<Law>(found == makers.end() ? nullptr : found->second(parameter));
}

Settings::Settings() : history(4, 1.0) {}
Settings &Settings::get() {
    static Settings one;
    return one;
}
double Settings::apply(double x) {
    double sum = 0;
    for (double &h : history) h = 0.5 * h + std::sin(x) * gain, sum += h * h;
    return sum;
}

Cache *Cache::instance() {
    static Cache one;
    if (!one.values) {
        one.values.reset(new double[3]);
        for (int i = 0; i < 3; i++) one.values[i] = i;
    }
    return &one;
}

static thread_local std::vector<double> scratch;
double cached(double x) {
    scratch.resize(5);
    double sum = 0;
    for (int i = 0; i < 5; i++) scratch[i] = x * i, sum += scratch[i] * scratch[i];
    return sum;
}
