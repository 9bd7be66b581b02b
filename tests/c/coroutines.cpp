// Coroutines of C++20: generators, with frames that are freed in and out of the function that resumes them, in a container,
// behind a base class, and with exceptions; a task that awaits another.
// ad-flags: -std=c++20
// ad-i386: none, frames on the heap lead to AD034 there
#include "requests.h"
#include <coroutine>
#include <exception>
#include <utility>
#include <vector>

enum { N = 4 };

template <class T> struct generator {
    struct promise_type {
        T value;
        generator get_return_object() { return generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(T x) {
            value = x;
            return {};
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
    explicit generator(std::coroutine_handle<promise_type> h) : handle(h) {}
    generator(generator &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    generator(const generator &) = delete;
    ~generator() {
        if (handle) handle.destroy();
    }
    bool next() {
        handle.resume();
        return !handle.done();
    }
    T value() const { return handle.promise().value; }
};

static generator<double> powers(double x, int n) {
    double p = 1.0;
    for (int i = 0; i < n; i++) {
        co_yield p;
        p *= x;
    }
}
static double series(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        generator<double> g = powers(x[i], 3 + i);
        while (g.next()) sum += sin(g.value()) * x[0];
    }
    return sum;
}
AD_FUNCTIONAL(series)

/* Frames that stay: the compiler cannot place them on the stack. */
static generator<double> pairs(const double *x, int n) {
    for (int i = 0; i + 1 < n; i++) co_yield x[i] * x[i + 1];
    co_yield x[0] * x[0];
}
__attribute__((noinline)) static generator<double> chosen(const double *x, int which) {
    return pairs(x + which, N - which);
}
static double together(const double *x) {
    std::vector<generator<double>> all;
    for (int i = 0; i < 3; i++) all.push_back(chosen(x, i));
    double product = 1.0;
    for (int round = 0; round < 3; round++)
        for (auto &g : all)
            if (g.next()) product += 0.3 * g.value() * product;
    return product;
}
AD_FUNCTIONAL(together)

/* A coroutine over a coroutine, that is left in the middle. */
static generator<double> smoothed(generator<double> from, double weight) {
    double last = 0.0;
    while (from.next()) {
        last = weight * last + (1.0 - weight) * from.value();
        co_yield last;
    }
}
static double filtered(const double *x) {
    double sum = 0.0;
    generator<double> g = smoothed(powers(x[0] + 0.2, 10), 0.3 * x[1]);
    for (int i = 0; i < 6 && g.next(); i++) sum += g.value() * x[i % N];
    return sum;
}
AD_FUNCTIONAL(filtered)

/* A task that starts lazily, and runs where it is awaited. */
struct task {
    struct promise_type {
        double value = 0.0;
        task get_return_object() { return task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_value(double v) { value = v; }
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> handle;
    explicit task(std::coroutine_handle<promise_type> h) : handle(h) {}
    task(task &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    task(const task &) = delete;
    ~task() {
        if (handle) handle.destroy();
    }
    bool await_ready() {
        handle.resume();
        return true;
    }
    void await_suspend(std::coroutine_handle<>) {}
    double await_resume() { return handle.promise().value; }
};
static task square(double x) { co_return x *x; }
static task norm(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += co_await square(x[i]);
    co_return sqrt(sum);
}
static double awaited(const double *x) {
    task t = norm(x, N);
    t.handle.resume();
    return t.handle.promise().value * x[2];
}
AD_FUNCTIONAL(awaited)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(series, N), CHECK_FUNCTIONAL(together, N), CHECK_FUNCTIONAL(filtered, N),
                          CHECK_FUNCTIONAL(awaited, N)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.5, 1.2);
    return check_done();
}
