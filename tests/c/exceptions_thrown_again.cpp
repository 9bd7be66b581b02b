/* Handlers that throw again what they have caught: for some of it, after what the handler did, from a handler for everything, through several;
 * constructors that throw while a vector takes in what they make.
 * ad-i386: none, a pointer of four bytes that is moved as an integer leads to AD034 there at -O0 */
#include "requests.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

enum { N = 6 };

struct excess : std::runtime_error {
    double by;
    std::vector<double> powers;
    explicit excess(double by) : std::runtime_error("excess"), by(by), powers{by, by * by} {}
};
/* Counts what is left, however that happens. */
struct counter {
    double *count;
    ~counter() { *count += 1.0; }
};

static int round_number = 0;
static double limited(double x, int outcome) {
    if (outcome % 2) throw excess(x * x);
    return 3.0 * x;
}
static double some(double x, int outcome, double *count) {
    counter c{count};
    try {
        return limited(x, outcome);
    } catch (const excess &e) {
        *count += e.by;
        if (outcome % 3) throw;
        return e.powers[1];
    }
}
static double conditional(const double *x) {
    double sum = 0.0, count = 0.0;
    for (int i = 0; i < N; i++) {
        try {
            sum += some(x[i], i + round_number, &count) * (i + 1);
        } catch (const excess &e) {
            sum += e.powers[0] + 2.0 * e.powers[1];
        }
    }
    return sum * count;
}
AD_FUNCTIONAL(conditional)

static double squared(double x, int outcome) {
    if (outcome % 4) throw x * x;
    return x;
}
static double inner(double x, int outcome, double *count) {
    try {
        return squared(x, outcome);
    } catch (double square) {
        *count *= 1.1 + square;
        if (outcome % 4 < 3) throw;
        return square;
    }
}
static double outer(double x, int outcome, double *count) {
    try {
        return inner(x, outcome, count);
    } catch (...) {
        *count += x;
        throw;
    }
}
static double several(const double *x) {
    double sum = 0.0, count = 1.0;
    for (int i = 0; i < N; i++) {
        try {
            sum += outer(x[i], i + round_number, &count) * (i + 1);
        } catch (const double &square) {
            sum += square * x[i];
        }
    }
    return sum * count;
}
AD_FUNCTIONAL(several)

struct item {
    double value;
    item(double x, bool is_right) : value(x) {
        if (!is_right) throw x * x;
    }
};
static double filled(const double *x, int n) {
    std::vector<item> items;
    std::vector<std::unique_ptr<item>> owned;
    try {
        for (int i = 0; i < n; i++) {
            items.emplace_back(x[i], i + round_number != 3);
            owned.push_back(std::make_unique<item>(x[i] * 0.9, i + round_number != 8));
        }
    } catch (double excess) {
        double sum = excess;
        for (const item &i : items) sum += i.value * excess;
        return sum * (1.0 + owned.size());
    }
    double sum = 0.0;
    for (auto &i : owned) sum += i->value;
    return sum;
}
static double constructors(const double *x) { return filled(x, N) * filled(x + 2, N - 2); }
AD_FUNCTIONAL(constructors)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(conditional, N), CHECK_FUNCTIONAL(several, N), CHECK_FUNCTIONAL(constructors, N)};
    for (round_number = 0; round_number < 9; round_number++)
        for (check_case &c : cases) check_random_points(&c, 1, 0.4, 1.25);
    return check_done();
}
