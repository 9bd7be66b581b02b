// Exceptions that differentiated calls throw and differentiated code catches: values, classes and what derives from them, with
// and without members that own memory; through clean-ups, nested handlers and loops.
// ad-i386: none, a handler of std::runtime_error leads to AD034 there
#include "requests.h"
#include <stdexcept>
#include <string>
#include <vector>

enum { N = 4 };

/* Which of them throw, in this round: the maps are smooth. */
static int round_number = 0;

/* A struct by reference, a real by value. */
struct excess {
    double by;
    int place;
};
__attribute__((noinline)) static double limited(double x, int i, int outcome) {
    if (outcome % 3 == 0) throw excess{x - 0.5, i};
    if (outcome % 3 == 1) throw x * x;
    return x * x * x;
}
static double values(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        try {
            sum += limited(x[i], i, i + round_number);
        } catch (const excess &e) {
            sum += sin(e.by) * (1 + e.place) + x[(i + 1) % N];
        } catch (double square) {
            sum += 3.0 * square * sum;
        }
    }
    return sum;
}
AD_FUNCTIONAL(values)

/* A class by reference to its base, with a virtual function; through two calls and a clean-up. */
struct failure {
    double cost;
    explicit failure(double cost) : cost(cost) {}
    virtual double penalty() const { return cost; }
    virtual ~failure() = default;
};
struct steep : failure {
    double slope;
    steep(double cost, double slope) : failure(cost), slope(slope) {}
    double penalty() const override { return cost * slope; }
};
static double checked(double x, double y, int outcome) {
    if (outcome % 4 == 0) throw steep(x, y);
    if (outcome % 4 == 1) throw failure(x + y);
    return x - y;
}
static double collected(const double *x, int n) {
    std::vector<double> all;
    for (int i = 0; i < n; i++) all.push_back(checked(x[i], x[i + 1], i + n + round_number));
    double sum = 0.0;
    for (double one : all) sum += one * one;
    return sum;
}
static double classes(const double *x) {
    double sum = 0.0;
    for (int n = 1; n < N; n++) {
        try {
            sum += collected(x, n);
        } catch (const failure &f) {
            sum = 0.5 * sum + f.penalty();
        }
    }
    return sum;
}
AD_FUNCTIONAL(classes)

/* Members that own memory; a handler for everything; handlers within handlers. */
struct history {
    std::vector<double> steps;
    double last;
};
static double marched(double x, int most) {
    history h{{}, x};
    for (int i = 0; i < 6; i++) {
        h.steps.push_back(h.last);
        h.last *= x;
        if (i >= most) throw h;
    }
    return h.last;
}
static double owners(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        try {
            sum += marched(x[i], 3 + (i + round_number) % 5);
        } catch (const history &h) {
            for (double step : h.steps) sum += step * h.last;
        }
    }
    return sum;
}
AD_FUNCTIONAL(owners)

static double nested(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        try {
            try {
                sum += limited(x[i], i, i + round_number);
            } catch (const excess &e) {
                try {
                    sum += limited(e.by, i, i + round_number / 3);
                } catch (double square) {
                    sum += 2.0 * square * e.by;
                }
            }
        } catch (...) {
            sum *= 1.0 + x[i];
        }
    }
    return sum;
}
AD_FUNCTIONAL(nested)

/* The library's: its message is text. */
static double roots(double x, int outcome) {
    if (outcome % 2) throw std::domain_error("the argument is below the range of this function");
    return sqrt(x);
}
static double messages(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        try {
            sum += roots(x[i], i + round_number) * x[(i + 1) % N];
        } catch (const std::exception &e) {
            sum += x[i] * (double)(std::string(e.what()).size() > 10);
        }
    }
    return sum;
}
AD_FUNCTIONAL(messages)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(values, N), CHECK_FUNCTIONAL(classes, N), CHECK_FUNCTIONAL(owners, N),
                          CHECK_FUNCTIONAL(nested, N), CHECK_FUNCTIONAL(messages, N)};
    for (round_number = 0; round_number < 12; round_number++)
        for (check_case &c : cases) check_random_points(&c, 1, 0.4, 1.4);
    return check_done();
}
