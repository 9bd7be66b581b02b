// Reals that lambdas capture by value, in std::function: libstdc++ keeps them in a union whose first member is a pointer, so that
// passes load the captured real as one, and a solver takes the function by value. Reals that share the word of a pointer in a union
// are moved with it.
// ad-i386: none, std::function copies what may be pointers (AD034 by AD203)
#include "requests.h"
#include <functional>
#include <utility>

// Calls what it was given before and in a loop: only what is moved says that the real is active.
template <class F> struct solver {
    F f;
    int steps;
    solver(F f, int steps) : f(std::move(f)), steps(steps) {}
    __attribute__((noinline)) double run(double v) {
        double sum = f(v);
        for (int i = 0; i < steps; i++) sum += f(sum);
        return sum;
    }
};
static double moved(const double *x) {
    double w = x[2];
    std::function<double(double)> f = [w, &x](double v) { return w * sin(v) * x[0]; };
    solver s(f, 2);
    return s.run(x[1]);
}

struct word {
    int tag;
    union {
        double real;
        double *pointer;
    };
};
__attribute__((noinline)) static double value(const word &u) { return u.tag ? *u.pointer * 3 : u.real * 2; }
__attribute__((noinline)) static double move(word &to, const word &from) {
    to = from;
    return to.tag ? *to.pointer : 0.0;
}
static double tagged(const double *x) {
    double square = x[1] * x[1];
    word a, b, c, d;
    a.tag = 0, a.real = x[0] * x[1];
    b.tag = 1, b.pointer = &square;
    double sum = move(c, a) + move(d, b);
    return sum + value(c) * value(d) * x[2];
}
AD_FUNCTIONAL(moved)
AD_FUNCTIONAL(tagged)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(moved, 3), CHECK_FUNCTIONAL(tagged, 3)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.1);
    return check_done();
}
