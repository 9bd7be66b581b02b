// Exceptions: what could throw and does not, local objects with destructors around calls out of line; exceptions that leave
// a derivative for the caller, after which the next derivative is right and no clean-up was missed; exceptions that are
// caught in differentiated code, of calls that are not active, and in the tangent of active calls too.
#include "requests.h"

#include <stdexcept>
#include <vector>

namespace {
enum { N = 4 };
#define NOINLINE __attribute__((noinline))

int alive = 0;    // guards that were made and not yet destroyed
int destroyed = 0;
struct Guard {
    double value;
    NOINLINE explicit Guard(double value) : value(value) { alive++; }
    NOINLINE ~Guard() { alive--, destroyed++; }
};

NOINLINE void validate(double limit, int i) {
    if (i > limit) throw std::out_of_range("limit");
}
NOINLINE double root(double t, double limit) {
    Guard guard(t);
    validate(limit, 3);
    if (t < 0.0) throw std::domain_error("negative");
    return std::sqrt(guard.value) * t;
}

// Loops, non-trivial locals, calls that may throw: nothing does.
double quiet(const double *x) {
    Guard outer(x[0]);
    double y = 1.0;
    for (int i = 0; i < N; i++) {
        Guard guard(x[i] * y);
        y = root(guard.value, 10.0) + root(x[(i + 1) % N], 10.0) * outer.value;
        if (y > 100.0) break;
    }
    return y;
}

double by_vector(const double *x) { // all accesses may throw
    std::vector<double> v(x, x + N);
    double y = 0.0;
    for (int i = 0; i < N; i++) y += v.at(i) * v.at((i + 1) % N);
    std::vector<double> w(v);
    w.at(2) = y;
    for (double t : w) y += t * w.at(1);
    return y + root(y, 10.0);
}

// Caught here, thrown by a call without derivatives.
NOINLINE int checked(int i) {
    if (i % 2) throw i;
    return i + 1;
}
double caught(const double *x) {
    double y = 1.0;
    for (int i = 0; i < N; i++) {
        int k;
        try {
            k = checked(i);
        } catch (int thrown) {
            k = -thrown;
            y *= x[0];
        }
        y += k * x[i] * x[i];
    }
    return y;
}

// Thrown and caught here: control flow like any other.
double visible(const double *x) {
    double y = 0.5;
    for (int i = 0; i < N; i++) {
        double kept = y;
        try {
            y = y * x[i] + 1.0;
            if (x[i] > 0.9) throw i;
            if (x[i] < 0.6) throw 1.5f;
            y *= x[0];
        } catch (int thrown) {
            y = y * kept + thrown * x[i];
        } catch (...) {
            y = kept * x[(i + 1) % N];
        }
    }
    return y;
}

AD_FUNCTIONAL(quiet)
AD_FUNCTIONAL(visible)
AD_FUNCTIONAL(by_vector)
AD_FUNCTIONAL(caught)

// What throws out of a derivative.
double loud(const double *x, double limit) {
    Guard outer(x[0]);
    double y = 1.0;
    for (int i = 0; i < N; i++) y = y * root(x[i], i == 2 ? limit : 10.0) + x[0];
    return y;
}
NOINLINE double loud_tangent(const double *x, const double *xd, double limit) {
    Guard around(1.0); // the request is in a scope with clean-ups
    return __ad_tangent_double((void *)loud, x, xd, ad_const, limit);
}
NOINLINE void loud_adjoint(const double *x, double *xb, double limit) {
    Guard around(1.0);
    __ad_adjoint_void((void *)loud, x, xb, ad_const, limit);
}

void throwing() {
    const double x[N] = {0.7, 0.9, 1.1, 0.8}, xd[N] = {1.0, -0.5, 0.25, 2.0};
    double xb[N] = {}, again[N];
    double yd = loud_tangent(x, xd, 10.0);
    loud_adjoint(x, xb, 10.0);
    double dot = 0.0;
    for (int i = 0; i < N; i++) dot += xd[i] * xb[i];
    check_close("tangent and adjoint agree", yd, dot, 1e-13);
    for (int round = 0; round < 50; round++) {
        int caught_here = 0, before = destroyed;
        for (int i = 0; i < N; i++) again[i] = 0.0;
        try {
            loud_tangent(x, xd, 2.0);
        } catch (const std::out_of_range &) { caught_here++; }
        try {
            loud_adjoint(x, again, 2.0);
        } catch (const std::out_of_range &) { caught_here++; }
        if (round < 3) {
            check_true("both threw", caught_here == 2);
            check_true("all guards are gone", alive == 0);
            check_true("and were destroyed", destroyed - before == 10);
            check_true("nothing was accumulated", again[0] == 0.0 && again[1] == 0.0 && again[2] == 0.0 && again[3] == 0.0);
        }
        loud_adjoint(x, again, 10.0);
        for (int i = 0; i < N && round < 3; i++) check_equal_bits("the next gradient is right", again[i], xb[i]);
    }
}

// Caught in the code that is differentiated, thrown by an active call: the tangent follows what was done until then.
NOINLINE double halfway(double *memory, double t, int stop) {
    memory[0] = t * t;
    if (stop) throw 2;
    memory[0] = 0.0;
    memory[1] = t * t * t;
    return t;
}
double recovered(const double *x, int stop) {
    double memory[2] = {x[1], x[2]};
    try {
        return halfway(memory, x[0], stop) * memory[1];
    } catch (int n) {
        return memory[0] * n + memory[1];
    }
}
void recovering() {
    const double x[N] = {0.7, 0.9, 1.1, 0.8}, xd[N] = {1.0, -0.5, 0.25, 2.0};
    check_close("no throw", __ad_tangent_double((void *)recovered, x, xd, 0), 4.0 * 0.7 * 0.7 * 0.7, 1e-13);
    check_close("thrown", __ad_tangent_double((void *)recovered, x, xd, 1), 4.0 * 0.7 + 0.25, 1e-13);
}
} // namespace

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(quiet, N), CHECK_FUNCTIONAL(by_vector, N), CHECK_FUNCTIONAL(caught, N), CHECK_FUNCTIONAL(visible, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.5, 1.2);
    throwing();
    recovering();
    check_true("no guard is left", alive == 0);
    return check_done();
}
