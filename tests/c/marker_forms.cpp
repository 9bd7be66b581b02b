// Markers by address, by reference, through templates that forward them, copied through variables, of one file or of a namespace: each is the
// marker, at all levels. Results as pairs, arrays and structs of C++.
#include "requests.h"
#include <array>
#include <utility>

extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_width;
template <typename Return, typename... Args> Return __enzyme_autodiff(void *, Args...);
template <typename Return, typename... Args> Return __enzyme_fwddiff(void *, Args...);

static double dot(const double *w, const double *x) { return w[0] * x[0] * x[0] + w[1] * x[1]; }
static double scaled(double a, const double *x) { return a * x[0] * x[0]; }

template <typename... Args> static double forwarded(Args &&...args) {
    return __ad_adjoint<double>(scaled, std::forward<Args>(args)...);
}
template <typename... Args> static double twice_forwarded(Args &&...args) { return forwarded(std::forward<Args>(args)...); }
template <typename... Args> static double by_value(Args... args) { return __ad_adjoint<double>(scaled, args...); }
template <typename... Args> static double by_constant(const Args &...args) { return __ad_adjoint<double>(scaled, args...); }
template <typename F, typename... Args> static double of_any(F f, Args... args) { return __ad_adjoint<double>(f, args...); }
static double one_marker(const int &marker, double a, double *x) { return __ad_adjoint<double>(scaled, a, marker, x); }

namespace names {
static int enzyme_dup, enzyme_out;
static int enzyme_primal_return;
} // namespace names
struct value_and_gradient { double value; std::array<double, 2> gradient; };
static double product(double a, double b) { return a * a * b; }
static double of_reference(double *&, double a) { return a * a; }
template <typename Return> Return __enzyme_autodiff_reference(double (*)(double *&, double), const int &, double *, double);

static void of_names(double *x, double *xb) {
    using names::enzyme_out, names::enzyme_primal_return;
    __enzyme_autodiff<void>((void *)dot, enzyme_const, x, names::enzyme_dup, x, xb);
    check_close("of a namespace", xb[0], 2 * 5 * 5, 1e-15);
    auto pair = __enzyme_autodiff<std::pair<double, double>>((void *)product, enzyme_out, 3.0, enzyme_out, 5.0);
    check_close("a pair", pair.first + 100 * pair.second, 930, 1e-15);
    auto array = __enzyme_autodiff<std::array<double, 3>>((void *)product, enzyme_primal_return, enzyme_out, 3.0, enzyme_out, 5.0);
    check_close("an array", array[0] + 100 * array[1] + 10000 * array[2], 45 + 3000 + 90000, 1e-15);
    auto all = __enzyme_autodiff<value_and_gradient>((void *)product, enzyme_primal_return, 3.0, 5.0);
    check_close("a struct", all.value + 100 * all.gradient[0] + 10000 * all.gradient[1], 45 + 3000 + 90000, 1e-15);
    auto both = __enzyme_fwddiff<std::pair<double, double>>((void *)product, enzyme_primal_return, 3.0, 1.0, enzyme_const, 5.0);
    check_close("a pair, tangent", both.first + 100 * both.second, 45 + 3000, 1e-15);
    check_close("a function of a reference", __enzyme_autodiff_reference<double>(of_reference, enzyme_const, x, 3.0), 6, 1e-15);
}

int main() {
    double w[2] = {3.0, 4.0}, x[2] = {5.0, 7.0}, wb[2] = {0.0, 0.0}, xb[2] = {0.0, 0.0};
    __enzyme_autodiff<void>((void *)dot, &enzyme_const, w, &enzyme_dup, x, xb);
    check_close("by address: x0", xb[0], 30.0, 1e-15);
    check_close("by address: x1", xb[1], 4.0, 1e-15);
    __ad_adjoint<void>(dot, &ad_dup, w, wb, &ad_const, x);
    check_close("the other way round: w0", wb[0], 25.0, 1e-15);
    check_close("by address, with a width", __enzyme_fwddiff<double>((void *)scaled, &enzyme_width, 1, enzyme_dup, 2.0, 1.0, &enzyme_const, x), 25.0, 1e-15);

    check_close("forwarded", forwarded(ad_out, 2.0, ad_const, x), 25.0, 1e-15);
    check_close("forwarded twice", twice_forwarded(ad_out, 2.0, ad_const, x), 25.0, 1e-15);
    xb[0] = 0.0;
    check_close("forwarded, another marker", forwarded(ad_out, 2.0, ad_dup, x, xb), 25.0, 1e-15);
    check_close("forwarded, another marker: x", xb[0], 20.0, 1e-15);
    check_close("by value", by_value(ad_out, 2.0, ad_const, x), 25.0, 1e-15);
    check_close("by constant reference", by_constant(ad_out, 2.0, ad_const, x), 25.0, 1e-15);
    check_close("the function, too", of_any(scaled, ad_out, 2.0, ad_const, x), 25.0, 1e-15);
    check_close("one marker", one_marker(ad_const, 2.0, x), 25.0, 1e-15);

    int marker = ad_const;
    const int &reference = ad_const;
    const int *address = &ad_const;
    const int copy = marker;
    check_close("a copy", __ad_adjoint<double>(scaled, 2.0, marker, x), 25.0, 1e-15);
    check_close("a reference", __ad_adjoint<double>(scaled, 2.0, reference, x), 25.0, 1e-15);
    check_close("through a pointer", __ad_adjoint<double>(scaled, 2.0, *address, x), 25.0, 1e-15);
    check_close("an address in a variable", __ad_adjoint<double>(scaled, 2.0, address, x), 25.0, 1e-15);
    check_close("a copy of a copy", __ad_adjoint<double>(scaled, 2.0, copy, x), 25.0, 1e-15);
    xb[0] = 0.0;
    of_names(x, xb);
    return check_done();
}
