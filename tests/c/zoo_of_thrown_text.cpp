// Functions that return dates or counts, and throw messages with digits of active numbers in them: where
// such a function returns, it has made no text, so what it returns and leaves in memory is no text either.
#include "requests.h"
#include <cmath>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
struct Curve {
    double rate = 0;
    int from = 0;
    mutable double last = 0;
    mutable int asked = 0;

    int days(int to) const {
        if (to < from) {
            std::ostringstream text;
            text << "rate " << rate << " is not known before " << from;
            throw std::runtime_error(text.str());
        }
        last = rate * to;
        asked++;
        if (to > from) return days(to - 1) + 1;
        return 0;
    }
};
struct Leg {
    virtual ~Leg() = default;
    virtual double value(const Curve &curve, const std::vector<int> &dates) const = 0;
};
struct Fixed : Leg {
    double value(const Curve &curve, const std::vector<int> &dates) const override {
        double sum = 0;
        for (int date : dates) sum += curve.rate * double(date - dates.front());
        const int n = curve.days(dates.back());
        return sum + curve.last * n * curve.asked;
    }
};
struct Floating : Leg {
    double value(const Curve &curve, const std::vector<int> &dates) const override {
        const int n = curve.days(dates.front() - curve.asked);
        if (!(curve.rate < 10)) {
            std::ostringstream text;
            text << "a rate of " << curve.rate;
            throw std::domain_error(text.str());
        }
        return std::sin(curve.rate) * n * double(dates.back() - dates.front());
    }
};

double sums(const double *x, const std::vector<int> &dates) {
    Curve curve;
    curve.rate = x[0] * x[1];
    curve.from = 4;
    Fixed fixed;
    Floating floating;
    double sum = x[1];
    std::string problems;
    try {
        const Leg *legs[] = {&fixed, &floating};
        for (const Leg *leg : legs) sum += leg->value(curve, dates);
    } catch (const std::exception &e) {
        problems = e.what();
    }
    // The length of a message, and no digit of it.
    return sum * sum + (problems.empty() ? 0.0 : x[0]);
}
double returned(const double *x) { return sums(x, {7, 9, 13}); }
double thrown(const double *x) { return sums(x, {5, 6, 5}); }
double beside(const double *x) {
    Curve curve;
    curve.rate = x[0] * x[0];
    curve.from = 3;
    int n = 0;
    try {
        n = curve.days(int(5 + x[1]));
    } catch (...) {
        return x[0];
    }
    return curve.last * n + x[1];
}
AD_FUNCTIONAL(returned)
AD_FUNCTIONAL(thrown)
AD_FUNCTIONAL(beside)
} // namespace

int main() {
    check_case all[] = {CHECK_FUNCTIONAL(returned, 2), CHECK_FUNCTIONAL(thrown, 2), CHECK_FUNCTIONAL(beside, 2)};
    for (auto &c : all) check_random_points(&c, 2, 0.2, 0.6);
    return check_done();
}
