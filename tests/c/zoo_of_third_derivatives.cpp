// ad-levels: O0 O1 O2
// ad-flags: -g
// Derivatives of third order by every order of tangents, and one adjoint; requests on lambdas and templates; structs of results.
#include <cmath>

#include "requests.h"

struct Pair { double a, b; };
static double f(double x, double y) { return std::sin(x) * y * x + std::exp(x * y); }
static double fxx(double x, double y) { return y * (2 * std::cos(x) - x * std::sin(x)) + y * y * std::exp(x * y); }
static double fxy(double x, double y) { return std::cos(x) * x + std::sin(x) + (1 + x * y) * std::exp(x * y); }
static double fxxx(double x, double y) { return y * (-3 * std::sin(x) - x * std::cos(x)) + y * y * y * std::exp(x * y); }
static double fxxy(double x, double y) { return 2 * std::cos(x) - x * std::sin(x) + (2 * y + y * y * x) * std::exp(x * y); }

static double by_tangent(double x, double y) { return __ad_tangent<double>((void *)f, x, 1.0, y, 0.0); }
static double by_adjoint(double x, double y) { return __ad_adjoint<Pair>((void *)f, x, y).a; }
static double tangent_of_adjoint(double x, double y) { return __ad_tangent<double>((void *)by_adjoint, x, 1.0, y, 0.0); }
static double tangent_of_tangent(double x, double y) { return __ad_tangent<double>((void *)by_tangent, x, 1.0, y, 0.0); }
static double adjoint_of_tangent(double x, double y) { return __ad_adjoint<Pair>((void *)by_tangent, x, y).a; }

static void check(const char *name, double (*of)(double, double), double x, double y) {
    check_within(name, of(x, y), fxx(x, y), 1e-13 * (1 + std::fabs(fxx(x, y))));
}
// A derivative of any order of a function of one variable.
template <int n> static double power(double x) {
    if constexpr (n == 0) return std::exp(1.5 * x);
    else return __ad_tangent<double>((void *)power<n - 1>, x, 1.0);
}

int main() {
    for (double x = 0.3; x < 1.5; x += 0.4) {
        double y = 2 - x, third = 1e-13 * (1 + std::fabs(fxxx(x, y))), mixed = 1e-13 * (1 + std::fabs(fxxy(x, y)));
        check("tangent of adjoint", tangent_of_adjoint, x, y);
        check("tangent of tangent", tangent_of_tangent, x, y);
        check("adjoint of tangent", adjoint_of_tangent, x, y);
        check_within("tangent of adjoint, mixed", __ad_tangent<double>((void *)by_adjoint, x, 0.0, y, 1.0), fxy(x, y), mixed);
        check_within("TTA", __ad_tangent<double>((void *)tangent_of_adjoint, x, 1.0, y, 0.0), fxxx(x, y), third);
        check_within("TTA, mixed", __ad_tangent<double>((void *)tangent_of_adjoint, x, 0.0, y, 1.0), fxxy(x, y), mixed);
        check_within("TTT", __ad_tangent<double>((void *)tangent_of_tangent, x, 1.0, y, 0.0), fxxx(x, y), third);
        check_within("TAT", __ad_tangent<double>((void *)adjoint_of_tangent, x, 1.0, y, 0.0), fxxx(x, y), third);
        check_within("TAT, mixed", __ad_tangent<double>((void *)adjoint_of_tangent, x, 0.0, y, 1.0), fxxy(x, y), mixed);
        Pair g = __ad_adjoint<Pair>((void *)tangent_of_tangent, x, y);
        check_within("ATT", g.a, fxxx(x, y), third);
        check_within("ATT, mixed", g.b, fxxy(x, y), mixed);
        check_within("sixth derivative", power<6>(x), std::pow(1.5, 6) * std::exp(1.5 * x), 1e-12 * std::exp(1.5 * x));
    }
    return check_done();
}
