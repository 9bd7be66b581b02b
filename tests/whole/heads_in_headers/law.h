// An inline function that calls one of another file: each file that includes this has both, and makes derivatives.
#pragma once
#include <cmath>

double stiffness(double x);

namespace law {
inline double energy(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += stiffness(x[i]) * std::sin(x[i]);
    return sum;
}
inline double area(double r, double h) { return r * r * std::exp(-h); }
} // namespace law
