/* A vector of std::function: what each holds in its 16 bytes, pointers or a double, is erased; copies move either.
 * ad-levels: O0 O1 O2
 * ad-i386: none, addresses of four bytes look like floats */
#include "requests.h"

#include <functional>
#include <vector>

static double root(const std::function<double(double)> &g, double low, double high) {
    for (int i = 0; i < 8; i++) {
        double middle = (low + high) / 2;
        if (g(low) * g(middle) < 0) high = middle; else low = middle;
    }
    double z = (low + high) / 2;
    for (int i = 0; i < 6; i++) z -= g(z) * 2e-4 / (g(z + 1e-4) - g(z - 1e-4));
    return z;
}

static double model(const double *x) {
    double a = x[0], b = x[1];
    std::function<double(double)> cubic = [&](double t) { return t * t * t + a * t - b - 1; };
    std::vector<std::function<double(double)>> all;
    all.push_back(cubic);
    all.emplace_back([a](double t) { return a * t; });
    all.push_back(std::bind(std::multiplies<double>(), std::placeholders::_1, b));
    double y = root(cubic, 0, 3);
    for (auto &f : all) y += f(y);
    return y;
}

AD_FUNCTIONAL(model)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(model, 2)};
    check_random_points(&cases[0], 2, 0.6, 1.3);
    return check_done();
}
