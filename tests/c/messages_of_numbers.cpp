// Whole numbers of functions that throw where there is none: their messages have the digits of active reals, and nobody reads them.
#include "requests.h"
#include <cmath>
#include <sstream>
#include <stdexcept>

template <class Error> __attribute__((noinline)) static void raise_error(const char *what, double value) {
    std::ostringstream message;
    message.precision(17);
    message << what << ": " << value;
    throw Error(message.str());
}
__attribute__((noinline)) static double raise_rounding(double value) {
    raise_error<std::domain_error>("no whole number", value);
    return value;
}
__attribute__((noinline)) int whole(double value) {
    if (!(std::fabs(value) < 2e9)) return static_cast<int>(raise_rounding(value));
    return static_cast<int>(value);
}
// The whole part and the rest, as series of special functions take them.
static double split(const double *x) {
    double b = 4 * x[0];
    int n = whole(std::floor(b));
    double rest = b - n, sum = 0, term = 1;
    for (int i = 0; i < n; i++) term *= (i + rest) * x[1], sum += term;
    return sum + rest * n;
}
// A number of steps that is a factor, too.
static double stepped(const double *x) {
    int n = whole(3 + x[1]);
    double h = x[0] / n, y = x[1];
    for (int i = 0; i < n; i++) y += h * y;
    return y;
}
AD_FUNCTIONAL(split)
AD_FUNCTIONAL(stepped)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(split, 2), CHECK_FUNCTIONAL(stepped, 2)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.55, 0.7);
    try {
        whole(1e300);
    } catch (const std::domain_error &) {
        return check_done();
    }
    return 1;
}
