// Exceptions that the program keeps (std::exception_ptr). Where none is thrown, keeping them costs nothing: generators keep what
// their bodies throw. Where one is, and it is kept in memory without derivatives, the handler goes on. A generator whose body
// throws ends the program with AD203.
// ad-flags: -std=c++20
// ad-i386: none, frames on the heap lead to AD034 there
#include "ending.h"
#include "requests.h"
#include <coroutine>
#include <exception>
#include <stdexcept>

struct generator {
    struct promise_type {
        double value;
        std::exception_ptr kept;
        generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(double x) {
            value = x;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { kept = std::current_exception(); }
    };
    std::coroutine_handle<promise_type> handle;
    ~generator() { handle.destroy(); }
};
__attribute__((noinline)) static double next(generator &g) {
    g.handle.resume();
    return g.handle.promise().value;
}

static double limit = 100;
static generator sequence(double a, double b) {
    while (true) {
        co_yield a;
        double c = sin(a) + b * 0.5;
        a = b, b = c;
    }
}
static generator scaled(generator &g, double k) {
    while (true) co_yield k *next(g);
}
static double product(const double *x) {
    generator f = sequence(x[0], x[1]), s = scaled(f, x[2]);
    double p = 1.0;
    for (int i = 0; i < 5; i++) p *= 1.0 + next(s);
    return p;
}

static std::exception_ptr last;
static double checked(double v) {
    if (v > 2.0) throw std::runtime_error("too large");
    return sin(v);
}
static double handled(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        try {
            sum += checked(x[i % 2] + i);
        } catch (...) {
            last = std::current_exception();
            sum += x[0] * x[1];
        }
    }
    return sum;
}
AD_FUNCTIONAL(product)
AD_FUNCTIONAL(handled)

// What is thrown comes out of a call that has a derivative.
static generator bounded(double a, double b) {
    while (true) {
        co_yield a;
        if (a > limit) throw std::runtime_error("too large");
        a = a * b;
    }
}
static double thrown(const double *x) {
    generator f = bounded(x[0], 4.0 + x[1]), s = scaled(f, x[2]);
    double p = 1.0;
    for (int i = 0; i < 5; i++) p *= 1.0 + next(s);
    return p;
}
static const double at[3] = {1.5, 0.5, 0.7};
static void tangent(void *) {
    double xd[3] = {1.0, 0.0, 0.0};
    __ad_tangent_double((void *)thrown, at, xd);
}
static void adjoint(void *) {
    double xb[3] = {0.0, 0.0, 0.0};
    __ad_adjoint_void((void *)thrown, at, xb);
}

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(product, 3), CHECK_FUNCTIONAL(handled, 3)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 0.9);
    check_ends("thrown and kept, tangent", tangent, NULL, "AD203", "no derivative");
    check_ends("thrown and kept, adjoint", adjoint, NULL, "AD203", "no derivative");
    limit = 1e9;
    check_true("without a throw", isfinite(thrown(at)));
    return check_done();
}
