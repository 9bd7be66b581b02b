// Functions that catch exceptions whose messages hold digits of active numbers, and return a number of their
// own: no text is left where they return, so the dates that are read afterwards are no digits.
#include "requests.h"
#include <cmath>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
class failure : public std::exception {
    std::shared_ptr<std::string> message;

public:
    explicit failure(const std::string &text) : message(std::make_shared<std::string>(text)) {}
    const char *what() const noexcept override { return message->c_str(); }
};

struct curve {
    double rate = 0;
    std::vector<int> dates;
    signed char sign = -1;
    mutable double last = 0;
    mutable int asked = 0;
};

// Newton's method; divergence is an exception.
__attribute__((noinline)) double root(const curve &c, double start, int steps) {
    double at = start;
    for (int i = 0; i < steps; i++) {
        const double value = at * at - c.rate, slope = 2 * at;
        if (std::fabs(slope) < 1e-3) {
            std::ostringstream text;
            text << "slope " << slope << " at " << at << " after step " << i;
            throw failure(text.str());
        }
        at -= value / slope;
    }
    c.last = at;
    c.asked++;
    return at;
}
// What a caller sees of this is a number.
__attribute__((noinline)) double limit(const curve &c, double start) {
    const double first = root(c, 1.0, 20);
    try {
        return std::fmax(first, 0.5 * first + root(c, start, 25));
    } catch (const failure &) {
        return first;
    }
}
__attribute__((noinline)) double again(const curve &c, double start, int depth) {
    if (depth > 0) {
        try {
            return again(c, start, depth - 1) + limit(c, start);
        } catch (const std::exception &) {
            return c.last;
        }
    }
    return root(c, start, 30);
}
double sums(const double *x, double start) {
    curve c;
    c.rate = x[0] * x[1];
    c.dates = {7, 9, 13};
    double sum = limit(c, start);
    for (int date : c.dates) sum += c.rate * double(date - c.dates.front());
    sum += c.last * c.asked;
    sum += again(c, start, 2) * double(c.dates.back() - c.dates.front());
    // A character, and none of a text.
    return sum * sum + c.sign * sum;
}
double returned(const double *x) { return sums(x, 2.0); }
double thrown(const double *x) { return sums(x, 1e-4); }
AD_FUNCTIONAL(returned)
AD_FUNCTIONAL(thrown)
} // namespace

int main() {
    check_case all[] = {CHECK_FUNCTIONAL(returned, 2), CHECK_FUNCTIONAL(thrown, 2)};
    for (auto &c : all) check_random_points(&c, 2, 0.2, 0.6);
    return check_done();
}
