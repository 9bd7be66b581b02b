// Results beside which there is room for more, of any type: a map of `std::any` that is copied, emptied and
// deleted, and that nobody fills. What a `std::any` calls is not null where it holds something: no function
// of the program is that.
// ad-i386: none, maps of strings are refused where an address has four bytes (AD034)
#include "requests.h"
#include <any>
#include <cmath>
#include <map>
#include <memory>
#include <string>

namespace {
struct Results {
    double value = 0, slope = 0;
    std::map<std::string, std::any> more;
    void reset() {
        value = slope = 0;
        more.clear();
    }
};
struct Engine {
    virtual ~Engine() = default;
    virtual void calculate(Results &results) const = 0;
};
struct Powers : Engine {
    Powers(double a, double b) : base(a), power(b) {}
    void calculate(Results &results) const override {
        results.reset();
        results.value = std::pow(base, power);
        results.slope = power * results.value / base;
    }
    double base, power;
};
struct Waves : Engine {
    explicit Waves(double f) : frequency(f) {}
    void calculate(Results &results) const override {
        results.reset();
        for (int k = 1; k <= 3; k++) results.value += std::sin(k * frequency) / k;
        results.slope = std::cos(frequency);
    }
    double frequency;
};
class Instrument {
  public:
    explicit Instrument(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
    double value() {
        Results results;
        engine_->calculate(results);
        fetch(results);
        return last_.value * (1 + last_.slope);
    }
    // Asked by users, not by the request.
    template <class T> T more(const std::string &name) const { return std::any_cast<T>(last_.more.at(name)); }

  private:
    __attribute__((noinline)) void fetch(const Results &results) { last_ = results; }
    std::shared_ptr<Engine> engine_;
    Results last_;
};
double valued(const double *x) {
    Instrument first(std::make_shared<Powers>(x[0], x[1])), second(std::make_shared<Waves>(x[2]));
    return first.value() * second.value() + first.value();
}
AD_FUNCTIONAL(valued)
} // namespace

int main() {
    check_case all[] = {CHECK_FUNCTIONAL(valued, 3)};
    for (auto &c : all) check_random_points(&c, 3, 0.3, 0.9);
    return check_done();
}
