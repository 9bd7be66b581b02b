// Values of several types behind one base class, in a map: where an int is read, a double, or a float beside the int,
// may lie. A mark in the shadow of one would take the adjoint of the other. Refused, not wrong.
// ad-error: AD031 - integer arithmetic on the bits
// ad-flags: -fno-strict-aliasing
// ad-levels: O1
#include "requests.h"
#include <map>
#include <memory>
#include <string>

struct Box {
    virtual ~Box() {}
    virtual double part(bool second) const = 0;
    virtual double get() const = 0;
    virtual void set(int) {}
};
template <class T> struct Of : Box {
    T value;
    explicit Of(T value) : value(value) {}
    double part(bool) const override { return value; }
    double get() const override { return value; }
};
struct Both : Box {
    int count;
    float weight;
    Both(int n, float w) { weight = w, count = n; }
    double part(bool second) const override { return second ? count : weight; }
    double get() const override { return weight * (count + 1); }
    void set(int n) override { count = n; }
};

static double of_boxes(const double *x) {
    std::map<std::string, std::unique_ptr<Box>> all;
    all["a"] = std::make_unique<Of<double>>(x[0] * x[1]);
    all["b"] = std::make_unique<Of<int>>(3);
    all["c"] = std::make_unique<Of<float>>((float)x[3]);
    all["d"] = std::make_unique<Both>(2, (float)x[1]);
    double sum = 0;
    for (auto &[name, box] : all) sum += box->part(false) * x[2];
    for (auto &[name, box] : all) box->set(name[0] - 'a'), sum += box->part(true) * x[0];
    for (auto &[name, box] : all) sum += box->get() * x[2];
    return sum + all["a"]->get();
}
AD_FUNCTIONAL(of_boxes)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(of_boxes, 4)};
    cases[0].tol_diff = 1e-3, cases[0].tol_dot = 1e-6;
    check_random_points(&cases[0], 2, 0.2, 0.6);
    return check_done();
}
