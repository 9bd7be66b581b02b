#include <cmath>
#include <vector>

extern "C" double flux(double a, double b) {
    std::vector<double> v{a, b};
    return v[0] > v[1] ? v[0] * std::sin(v[1]) : v[1] * v[1] * v[0];
}
