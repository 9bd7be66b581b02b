// More classes with a virtual function of the same type in the same slot than a call may choose from: the class of the
// object tells those apart that it can meet. At -O0 only tests of the front end tell it, which adcc asks for.
// ad-i386: none, destructors of what std::unique_ptr holds lead to AD034 there at -O0
// ad-flags: -Xclang -flto-unit -Xclang -fwhole-program-vtables -mllvm -ad-classes
#include "requests.h"
#include <memory>
#include <utility>
#include <vector>

// A hundred classes that no derivative has to do with.
template <int K> struct Unrelated {
    virtual ~Unrelated() = default;
    virtual double value(double x) const { return x * K; }
    double w[K % 3 + 1] = {};
};
template <int... K> double unrelated(double x, std::integer_sequence<int, K...>) {
    double sum = 0;
    std::vector<std::shared_ptr<void>> kept;
    auto one = [&](auto p) {
        kept.push_back(p);
        return p->value(x);
    };
    ((sum += one(std::make_shared<Unrelated<K>>())), ...);
    return sum;
}

// From this one, classes of other files could derive.
struct Labelled {
    virtual ~Labelled() = default;
    virtual double value(double x) const { return x; }
};
double value_of(const Labelled &labelled, double x) { return labelled.value(x); }

namespace {
struct Curve {
    virtual ~Curve() = default;
    virtual double value(double x) const = 0;
    double twice(double x) const { return 2 * value(x); }
};
struct Flat : Curve {
    double rate;
    explicit Flat(double rate) : rate(rate) {}
    double value(double) const override { return rate; }
};
struct Sloped : Labelled, Curve {
    double slope;
    explicit Sloped(double slope) : slope(slope) {}
    double value(double x) const override { return std::sin(slope * x); }
};
struct Shifted : virtual Curve {
    double by;
    explicit Shifted(double by) : by(by) {}
    double value(double x) const override { return by * by + x; }
};

double curves(const double *x) {
    std::vector<std::unique_ptr<Curve>> curves;
    curves.emplace_back(new Flat(x[0]));
    curves.emplace_back(std::make_unique<Sloped>(x[1]));
    curves.emplace_back(std::make_unique<Shifted>(x[2]));
    double sum = 0;
    for (auto &curve : curves) sum += curve->twice(1.5) * curve->value(x[3]);
    return sum;
}
double by_reference(const double *x) { return value_of(Sloped(x[0]), x[1]) * value_of(Labelled(), x[1]); }

AD_FUNCTIONAL(curves)
AD_FUNCTIONAL(by_reference)
} // namespace

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(curves, 4), CHECK_FUNCTIONAL(by_reference, 2)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.2);
    check_true("a hundred others", unrelated(1.0, std::make_integer_sequence<int, 100>()) == 4950.0);
    return check_done();
}
