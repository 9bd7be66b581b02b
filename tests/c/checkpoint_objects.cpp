// Checkpointed loops in C++: vectors that change places, objects that a step makes and destroys, exceptions that leave the loop, and
// ones that are thrown and caught in a step.
#include <stdexcept>
#include <utility>
#include <vector>

constexpr int N = 5;

#include "both_ways.h"

namespace {

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

#define MADE(f)                                                \
    double f##_with(const double *x) { return f<With>(x); }          \
    double f##_with_plain(const double *x) { return f<Without>(x); } \
    BOTH(f##_with)
MADE(vectors)
MADE(throwing)
MADE(guarded)
MADE(region)

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
    RUN(throwing_with);
}
} // namespace

int main() {
    RUN(vectors_with);
    RUN(throwing_with);
    RUN(guarded_with);
    RUN(region_with);
    check_exception();
    return check_done();
}
