/* C++ references as arguments and results: passed as pointers, with shadows like pointers; swap, references to elements,
 * const references, and a by-value object. */
#include "requests.h"
#include <utility>

enum { N = 4 };

static void product(const double &a, const double &b, double &y) { y = a * b + a; }

static double &largest(double *x, int n) {
    double *best = x;
    for (double *p = x; p != x + n; ++p)
        if (*p > *best) best = p;
    return *best;
}
static double clipped(const double *x) {
    double t[N], sum = 0.0;
    for (int i = 0; i < N; i++) t[i] = x[i] * x[i];
    double &top = largest(t, N);
    top = std::sqrt(top);
    for (double &v : t) sum += v * v * t[0];
    return sum;
}
static double exchanged(const double *x) {
    double a = x[0] * x[1], b = x[2];
    std::swap(a, b);
    a *= b;
    std::swap(b, a);
    return a * x[3] + std::sin(b);
}
struct Pair {
    double a, b;
    Pair operator+(const Pair &other) const { return {a + other.a * b, b + other.b}; }
};
static double pairs(const double *x) {
    Pair sum = {0.0, 0.5};
    for (int i = 0; i + 1 < N; i++) sum = sum + Pair{x[i], x[i + 1]};
    return sum.a * sum.b;
}
AD_FUNCTIONAL(clipped)
AD_FUNCTIONAL(exchanged)
AD_FUNCTIONAL(pairs)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(clipped, N), CHECK_FUNCTIONAL(exchanged, N), CHECK_FUNCTIONAL(pairs, N)};
    for (check_case &c : cases) {
        double x[N] = {0.4, 1.3, 0.8, 0.6}, z[N] = {1.6, 0.7, 0.3, 0.9};
        check_at(&c, x);
        check_at(&c, z);
    }
    double a = 2.0, b = 3.0, y = 0.0, ab = 0.0, bb = 0.0, yb = 1.0, yd = 0.0, ad = 0.5, bd = 0.25;
    __ad_adjoint<void>(product, &a, &ab, &b, &bb, &y, &yb);
    __ad_tangent<void>(product, &a, &ad, &b, &bd, &y, &yd);
    check_equal_bits("product: y", y, 8.0);
    check_equal_bits("product: a", ab, 4.0);
    check_equal_bits("product: b", bb, 2.0);
    check_equal_bits("product: seed consumed", yb, 0.0);
    check_equal_bits("product: tangent", yd, 4.0 * 0.5 + 2.0 * 0.25);
    return check_done();
}
