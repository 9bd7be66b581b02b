// Checkpointed loops in C++: vectors that change places, objects that a step makes and destroys, exceptions that leave the loop, and
// ones that are thrown and caught in a step.
#include <stdexcept>
#include <utility>
#include <vector>

#include "requests.h"

namespace {
constexpr int N = 5;

struct With {
    static void loop(int n) { ad_checkpoint_loop(n); }
    static void begin() { ad_checkpoint_begin(); }
    static void end() { ad_checkpoint_end(); }
};
struct Without {
    static void loop(int) {}
    static void begin() {}
    static void end() {}
};

template <class Marks> double vectors(const double *x) {
    std::vector<double> u(x, x + N), un(N);
    double nu = 0.1 + 0.01 * x[0];
    for (int t = 0; t < 9; t++) {
        Marks::loop(3);
        for (int i = 0; i < N; i++) un[i] = u[i] + nu * (u[(i + 1) % N] - 2.0 * u[i] + u[(i + N - 1) % N]) * u[i];
        std::swap(u, un);
    }
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += u[i] * u[i] * (i + 1);
    return sum * nu;
}

// Each step allocates; what it makes is destroyed where it throws as well.
__attribute__((noinline)) std::vector<double> rates(const std::vector<double> &u, double limit) {
    std::vector<double> r(u.size());
    for (unsigned i = 0; i < u.size(); i++) {
        if (u[i] > limit) throw std::runtime_error("too large");
        r[i] = u[i] * u[(i + 1) % u.size()];
    }
    return r;
}

template <class Marks> double throwing(const double *x) {
    std::vector<double> u(x, x + N);
    double sum = 0.0;
    int t = 0;
    while (sum < 6.0) {
        Marks::loop(2);
        std::vector<double> r = rates(u, 50.0);
        for (int i = 0; i < N; i++) u[i] += 0.1 * r[i];
        sum += u[t % N];
        if (++t > 100) throw std::out_of_range("no end");
    }
    return sum * u[1];
}

// A path of the step that never returns, shared with code behind the loop.
[[noreturn]] __attribute__((noinline)) void fail() { throw std::logic_error("negative"); }

template <class Marks> double guarded(const double *x) {
    double s = x[0], w = x[1];
    for (int t = 0; t < 6; t++) {
        Marks::loop(2);
        if (s < -10.0) fail();
        s = 0.7 * s + 0.2 * w * x[2];
        w = w * 1.05 + 0.1 * s;
    }
    if (w < -10.0) fail();
    return s * w;
}

template <class Marks> double region(const double *x) {
    std::vector<double> u(x, x + N);
    double last = 0.0;
    Marks::begin();
    for (int k = 0; k < 3; k++) {
        std::vector<double> r = rates(u, 50.0);
        for (int i = 0; i < N; i++) u[i] += 0.1 * r[i];
        last = r[2];
    }
    Marks::end();
    return last * u[1];
}

#define BOTH(f)                                                                         \
    double f##_with(const double *x) { return f<With>(x); }                             \
    double f##_plain(const double *x) { return f<Without>(x); }                         \
    AD_FUNCTIONAL(f##_with)                                                             \
    AD_FUNCTIONAL(f##_plain)
BOTH(vectors)
BOTH(throwing)
BOTH(guarded)
BOTH(region)

using sweep = void(const double *, double *, double *, double *);

void compare(const char *name, double (*f)(const double *), double (*plain)(const double *), sweep *with, sweep *without) {
    for (int k = 0; k < 4; k++) {
        double x[N], xb[N] = {0}, want[N] = {0}, y = 0.0, yb = 1.0;
        for (int i = 0; i < N; i++) x[i] = 0.4 + 0.17 * i + 0.11 * k * (i % 3);
        check_close(name, f(x), plain(x), 1e-14);
        with(x, xb, &y, &yb);
        yb = 1.0;
        without(x, want, &y, &yb);
        for (int i = 0; i < N; i++) check_within(name, xb[i], want[i], 1e-12 * (1.0 + fabs(want[i])));
    }
}

#define RUN(f)                                                                     \
    do {                                                                           \
        check_case c = CHECK_FUNCTIONAL(f##_with, N);                              \
        c.step = 1e-3;                                                             \
        double x[N];                                                               \
        for (int i = 0; i < N; i++) x[i] = 0.9 - 0.1 * i;                          \
        check_at(&c, x);                                                           \
        compare(#f, f##_with, f##_plain, f##_with_adjoint, f##_plain_adjoint);     \
    } while (0)

// The exception leaves the derivative, and nothing is broken afterwards.
void check_exception() {
    double x[N] = {0.5, 60.0, 0.5, 0.5, 0.5}, xb[N] = {0}, y = 0.0, yb = 1.0;
    int caught = 0;
    try {
        throwing_with_adjoint(x, xb, &y, &yb);
    } catch (const std::runtime_error &) {
        caught = 1;
    }
    check_true("the exception arrives", caught);
    RUN(throwing);
}
} // namespace

int main() {
    RUN(vectors);
    RUN(throwing);
    RUN(guarded);
    RUN(region);
    check_exception();
    return check_done();
}
