#include "classes.h"

namespace {
double helper(double x) { return x * x; } // another file has one, too
} // namespace

void price(const double *x, double *y, const Book *book) {
    std::vector<double> values;
    for (const auto &payoff : *book) values.push_back(payoff->value(x[0]) * discount(x[1]));
    double sum = 0.0;
    for (double v : values) sum += helper(v) + clamped(x[2], 0.5);
    try {
        y[0] = sum * checked(x[2]);
    } catch (const std::domain_error &) {
        y[0] = -sum * x[2];
    }
    y[1] = values.front() * values.back();
}
