// A program that derives a class from `std::streambuf` for its log, and collects messages of observers
// that fail in a string: functions on strings alone call no function of such a class.
// ad-levels: O0
// From -O1 on, the destructor of the buffer is a candidate where a part is destroyed (AD203 at run time).
// ad-i386: none, strings beside active data are refused where an address has four bytes
#include "requests.h"
#include <cmath>
#include <exception>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <vector>

namespace {
// Counts characters and drops them.
class Counter : public std::streambuf {
  public:
    long count = 0;

  protected:
    int overflow(int c) override { return count++, c; }
};
Counter counter;
std::ostream logged(&counter);

struct Model;
struct Part {
    virtual ~Part() = default;
    virtual bool update(Model &model) = 0;
};
struct Model {
    std::vector<std::shared_ptr<Part>> parts;
    std::vector<double> state;
    std::string title = "a model with a title that is longer than a short one";
    void update();
};
struct Scaled : Part {
    explicit Scaled(double f) : factor(f) {}
    bool update(Model &model) override {
        for (double &s : model.state) s = factor * std::sin(s);
        return true;
    }
    double factor;
};
struct Checked : Part {
    explicit Checked(double b) : bound(b) {}
    bool update(Model &model) override {
        double sum = 0;
        for (double s : model.state) sum += s;
        if (!(sum < std::fabs(bound))) throw std::runtime_error("the sum of all states is beyond its bound");
        model.state[0] += sum / bound;
        return true;
    }
    double bound;
};
void Model::update() {
    bool successful = true;
    std::string message;
    for (auto &part : parts) {
        try {
            successful = part->update(*this) && successful;
        } catch (const std::exception &e) {
            successful = false;
            message = e.what();
        } catch (...) {
            successful = false;
            message = "unknown";
        }
    }
    if (!successful) throw std::runtime_error("could not update: " + message);
}
double run(const double *x) {
    Model model;
    model.state.assign(x, x + 3);
    model.parts.push_back(std::make_shared<Scaled>(x[0]));
    model.parts.push_back(std::make_shared<Checked>(100 + x[1]));
    model.title += " and a suffix";
    for (int i = 0; i < 3; i++) model.update();
    double sum = 0;
    for (double s : model.state) sum += s * s;
    return sum;
}
// Some part fails: what follows it counts all the same.
double run_on(const double *x) {
    Model model;
    model.state = {x[0], x[1], 2.0};
    model.parts.push_back(std::make_shared<Checked>(0.1 * x[1]));
    model.parts.push_back(std::make_shared<Scaled>(x[1]));
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        try {
            model.update();
        } catch (const std::exception &e) {
            sum += x[1] * std::string(e.what()).size();
        }
    }
    for (double s : model.state) sum += s * s;
    return sum;
}
AD_FUNCTIONAL(run)
AD_FUNCTIONAL(run_on)
} // namespace

int main() {
    logged << "to the program's own buffer";
    check_case all[] = {CHECK_FUNCTIONAL(run, 3), CHECK_FUNCTIONAL(run_on, 2)};
    for (auto &c : all) check_random_points(&c, 2, 0.2, 0.6);
    check_true("the program's buffer is used", counter.count > 0);
    return check_done();
}
