#pragma once
#include <memory>
#include <stdexcept>
#include <vector>

struct Payoff {
    virtual ~Payoff() = default;
    virtual double value(double spot) const = 0;
};

/// Defined where it is used: each file has a copy.
template <class T> T clamped(T x, T low) { return x < low ? low * low / x : x; }

inline double discount(double rate) {
    static const double years = 2.0;
    return 1.0 / (1.0 + rate * years);
}

using Book = std::vector<std::unique_ptr<Payoff>>;
const Book &book();
std::unique_ptr<Payoff> call(double strike);
std::unique_ptr<Payoff> smooth(double width);
double checked(double x);
void price(const double *x, double *y, const Book *book);
