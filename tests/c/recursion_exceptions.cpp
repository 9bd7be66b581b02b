// Recursion and exceptions: objects with destructors in each call, calls from loops that may throw and do not, an exception that
// leaves a gradient from the depth, after which the next gradient is right; a call in between that throws and is caught below.
#include "requests.h"

#include <stdexcept>
#include <vector>

namespace {
enum { N = 5 };

int alive = 0;
struct Guard {
    int depth;
    __attribute__((noinline)) explicit Guard(int depth) : depth(depth) { alive++; }
    __attribute__((noinline)) ~Guard() { alive--; }
};

// What is called in few iterations may throw; so does what is called beside it.
double descend(const double *x, int depth, double t, double limit) {
    Guard guard(depth);
    if (t > limit) throw std::range_error("too large");
    if (depth == 0) return t * t;
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        if ((i + depth) % 2) continue;
        std::vector<double> kept(x, x + N);
        sum += kept.at(i) * descend(x, depth - 1, t * kept[i] + 0.1, limit);
    }
    return sum * t;
}
double quiet(const double *x) { return descend(x, 3, x[0], 1e6); }
AD_FUNCTIONAL(quiet)

// It is caught, in each call, of a call that has no derivative.
__attribute__((noinline)) int parity(int depth) {
    if (depth == 2) throw std::out_of_range("two");
    return depth % 2;
}
double caught(const double *x, int depth, double t) {
    if (depth == 0) return t;
    int odd;
    try {
        odd = parity(depth);
    } catch (const std::out_of_range &) {
        odd = 2;
    }
    double sum = t;
    for (int i = 0; i <= odd; i++) {
        if (i == 1) continue;
        sum += caught(x, depth - 1, t * x[i]) * x[depth];
    }
    return sum;
}
double catches(const double *x) { return caught(x, 4, x[0]); }
AD_FUNCTIONAL(catches)

double leaves(const double *x, double limit) { return descend(x, 4, x[0], limit); }

void thrown_from_the_depth() {
    double x[N], xb[N], reference[N] = {0.0};
    check_seed(4), check_fill(x, N, 0.8, 1.4);
    __ad_adjoint_double((void *)leaves, x, reference, 1e9);
    int thrown = 0;
    for (double limit : {0.1, 1.6, 2.5, 1e9}) {
        for (double &d : xb) d = 0.0;
        try {
            __ad_adjoint_double((void *)leaves, x, xb, limit);
        } catch (const std::range_error &) {
            thrown++;
        }
        check_true("all guards are gone", alive == 0);
    }
    check_true("it was thrown before", thrown >= 2);
    for (int i = 0; i < N; i++) check_close("after exceptions", xb[i], reference[i], 1e-13);
}
}

int main() {
    check_case quiet_case = CHECK_FUNCTIONAL(quiet, N), catches_case = CHECK_FUNCTIONAL(catches, N);
    check_random_points(&quiet_case, 2, 0.5, 1.3);
    check_random_points(&catches_case, 2, 0.5, 1.3);
    thrown_from_the_depth();
    return check_done();
}
