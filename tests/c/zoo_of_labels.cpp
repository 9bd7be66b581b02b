/* ad-levels: O0 O1 O2
 * ad-long: many templates
 * ad-i386: none, sets of addresses are refused where an address has four bytes
 *
 * Text that streams make of active numbers, beside active data: in exceptions that the differentiated code catches, in
 * members, in tables. A set of observers holds the addresses of all objects. */
#include "requests.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
struct Observer {
    virtual ~Observer() = default;
    virtual void update() = 0;
};
std::set<Observer *> observers;

struct Quote : Observer {
    double value;
    int updates = 0;
    explicit Quote(double v) : value(v) { observers.insert(this); }
    ~Quote() override { observers.erase(this); }
    void update() override { updates++; }
    double checked(double least) const {
        if (value < least) {
            std::ostringstream message;
            message << "quote " << value << " below " << least;
            throw std::domain_error(message.str());
        }
        return value;
    }
};

double caught(const double *x) {
    Quote spot(x[0]), rate(x[1]);
    for (Observer *o : observers) o->update();
    double sum = spot.checked(-1) * std::exp(-rate.checked(-1)) + spot.updates * x[2];
    try {
        return sum + rate.checked(0.5) * x[2];
    } catch (const std::exception &e) {
        return sum + x[1] * x[1] * (e.what()[0] == 'q');
    }
}

struct Bond {
    std::string label;
    double coupon;
};

/* Labels are members beside reals; short and long ones. */
double sorted(const double *x) {
    std::vector<Bond> bonds;
    for (int i = 0; i < 3; i++) {
        std::ostringstream label;
        label << (i % 2 ? "short " : "a bond with a long label ") << 3 - i;
        if (i == 2) label << " of " << x[i];
        bonds.push_back({label.str(), x[i] * x[i]});
    }
    std::sort(bonds.begin(), bonds.end(), [](const Bond &a, const Bond &b) { return a.label < b.label; });
    double sum = 0;
    for (size_t i = 0; i < bonds.size(); i++) sum += (i + 1) * std::sin(bonds[i].coupon);
    return sum;
}

/* Labels name active data. */
double named(const double *x) {
    std::map<std::string, std::unique_ptr<Quote>> quotes;
    std::stringstream label;
    for (int i = 0; i < 3; i++) {
        label.str("");
        label << "quote " << i;
        quotes[label.str()] = std::make_unique<Quote>(x[i] * x[(i + 1) % 3]);
    }
    double product = 1;
    for (const auto &[label, quote] : quotes) product *= 1 + quote->value / label.size();
    return product * quotes.at("quote 1")->value;
}

AD_FUNCTIONAL(caught)
AD_FUNCTIONAL(sorted)
AD_FUNCTIONAL(named)
} // namespace

int main() {
    const check_case cases[] = {CHECK_FUNCTIONAL(caught, 3), CHECK_FUNCTIONAL(sorted, 3), CHECK_FUNCTIONAL(named, 3)};
    for (const check_case &c : cases) {
        check_random_points(&c, 3, 0.6, 1.4);
        check_random_points(&c, 3, 0.1, 0.4);
    }
    return check_done();
}
