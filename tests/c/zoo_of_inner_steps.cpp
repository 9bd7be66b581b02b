/* ad-levels: O0 O1 O2 O3
 * ad-flags: -g
 * Steps of a checkpointed loop that ask for an adjoint, in C++: containers, objects with virtual functions, templates. */
#include <array>
#include <cmath>
#include <vector>

#include "requests.h"

/* A force that classes of potentials have. */
struct Potential {
    virtual double operator()(const double *q, int n) const = 0;
    virtual ~Potential() = default;
};
struct Springs final : Potential {
    double k;
    explicit Springs(double k) : k(k) {}
    double operator()(const double *q, int n) const override {
        double e = 0.0;
        for (int i = 0; i < n; i++) e += 0.5 * k * q[i] * q[i] + 0.25 * std::pow(q[i] * q[(i + 1) % n], 2);
        return e;
    }
};
static double energy(const Potential *potential, const double *q, int n) {
    std::vector<double> all(q, q + n);
    for (double &one : all) one += 0.1 * one * one;
    double e = 0.0;
    for (double one : all) e += std::cos(one);
    return e + (*potential)(q, n);
}
static double leapfrog(const double *x) {
    Springs springs(1.3), none(0.0);
    std::array<double, 3> q{x[0], x[1], x[2]}, p{0.1, 0.2, -0.3};
    for (int t = 0; t < 40; t++) {
        ad_checkpoint_loop(4);
        std::array<double, 3> force{};
        none.k = 0.0;
        __ad_adjoint_void((void *)energy, ad_dup, &springs, &none, ad_dup, q.data(), force.data(), 3);
        for (int i = 0; i < 3; i++) {
            p[i] -= 0.05 * force[i];
            q[i] += 0.05 * p[i] * (1.0 + 0.1 * none.k);
        }
    }
    return q[0] * p[1] + q[2];
}
/* Any function of two reals. */
template <class T> static T well(T a, T b) { return (a * a - b) * (a * a - b) + std::sin(a); }
static double of_a_template(double a, double b) { return well(a, b); }
struct gradient { double a, b; };
extern "C" gradient __ad_adjoint_gradient(void *, ...);
static double descent(const double *x) {
    double a = x[0], b = x[1];
    for (int t = 0; t < 30; t++) {
        ad_checkpoint_loop(3);
        gradient g = __ad_adjoint_gradient((void *)of_a_template, a, b);
        a -= 0.05 * g.a;
        b -= 0.05 * g.b * x[2];
    }
    return a * b;
}

#define OF(g)                                                                                                      \
    static double g##_tangent(const double *x, const double *v) { return __ad_tangent_double((void *)g, x, v); }   \
    static void g##_adjoint(const double *x, double *b) { __ad_adjoint_void((void *)g, x, b); }                    \
    static void g##_check() {                                                                                      \
        double x[3] = {0.7, 0.4, 1.2}, v[3] = {0.3, -0.8, 0.5}, a[3], b[3], h = 1e-5, xb[3] = {0, 0, 0};           \
        for (int i = 0; i < 3; i++) a[i] = x[i] + h * v[i], b[i] = x[i] - h * v[i];                                \
        double want = (g(a) - g(b)) / (2 * h), t = g##_tangent(x, v);                                              \
        check_within(#g, t, want, 1e-8 * (1 + fabs(want)));                                                        \
        g##_adjoint(x, xb);                                                                                        \
        check_within(#g " adjoint", xb[0] * v[0] + xb[1] * v[1] + xb[2] * v[2], t, 1e-12 * (1 + fabs(t)));         \
    }
OF(leapfrog)
OF(descent)

int main() {
    leapfrog_check();
    descent_check();
    return check_done();
}
