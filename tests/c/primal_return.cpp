// The primal result of a request, before its derivatives: {result, derivatives…}. In both spellings.
#include "requests.h"
#include <type_traits>

extern int enzyme_primal_return, enzyme_const, enzyme_dup, enzyme_out;
template <typename Return, typename... Args> Return __enzyme_autodiff(void *, Args...);
template <typename Return, typename... Args> Return __enzyme_fwddiff(void *, Args...);

template <typename T> struct value_and { T value, derivative; };
struct value_and_two { double value, a, b; };
struct only { double value; };

static int runs;

static double product(double a, double b, int n) {
    double p = 1.0;
    for (int i = 0; i < n; i++) p *= a + i * b;
    runs++;
    return p;
}
static float single(float x) { return x * x * x; }
static double norm(const double *x, double *y) {
    y[0] = x[0] * 2.0;
    return x[0] * x[0] + x[1] * x[1];
}
static double constant(int n) { return n * 0.5; }
static void nothing(double *x) { x[0] *= x[0]; }

int main() {
    auto all = __ad_adjoint<value_and_two>(product, ad_primal_return, 2.0, 3.0, 3);
    check_equal_bits("value", all.value, 2.0 * 5.0 * 8.0);
    check_close("a", all.a, 5.0 * 8.0 + 2.0 * 8.0 + 2.0 * 5.0, 1e-15);
    check_close("b", all.b, 2.0 * 8.0 + 2.0 * 2.0 * 5.0, 1e-15);
    check_true("f runs once", runs == 1);
    auto one = __enzyme_autodiff<value_and<double>>((void *)product, enzyme_primal_return, enzyme_out, 2.0, enzyme_const, 3.0, 3);
    check_equal_bits("const: value", one.value, 80.0), check_close("const: a", one.derivative, 66.0, 1e-15);
    auto tangent = __enzyme_fwddiff<value_and<double>>((void *)product, enzyme_primal_return, enzyme_dup, 2.0, 1.0, enzyme_dup, 3.0, 10.0, 3);
    check_equal_bits("tangent: value", tangent.value, 80.0), check_close("tangent", tangent.derivative, 66.0 + 360.0, 1e-15);
    auto f = __ad_adjoint<value_and<float>>(single, ad_primal_return, 2.0f);
    check_equal_bits("float: value", f.value, 8.0), check_equal_bits("float: adjoint", f.derivative, 12.0);
    auto fd = __ad_tangent<value_and<float>>(single, ad_primal_return, 2.0f, 0.5f);
    check_equal_bits("float: value, tangent", fd.value, 8.0), check_equal_bits("float: tangent", fd.derivative, 6.0);

    // Nothing but the value is returned where the active arguments are pointers.
    double x[2] = {3.0, 4.0}, xb[2] = {0.0, 0.0}, y[1], yb[1] = {1.0};
    check_equal_bits("pointers: value", __ad_adjoint<double>(norm, ad_primal_return, x, xb, y, yb), 25.0);
    check_equal_bits("pointers: x[0]", xb[0], 8.0), check_equal_bits("pointers: x[1]", xb[1], 8.0);
    check_equal_bits("pointers: y", y[0], 6.0);
    check_equal_bits("a struct of one", __ad_adjoint<only>(norm, ad_primal_return, x, xb, y, yb).value, 25.0);
    check_equal_bits("no derivative", __ad_adjoint<double>(constant, ad_primal_return, 3), 1.5);
    __ad_adjoint<void>(nothing, ad_primal_return, x, xb);
    check_equal_bits("no value", xb[0], (8.0 + 6.0) * 6.0);
    return check_done();
}
