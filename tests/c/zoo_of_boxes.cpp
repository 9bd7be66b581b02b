// Values of several types behind one base class, in a map: where an int is read, a double or a float may lie.
// ad-i386: none, integers where reals may lie are refused where an address has four bytes
#include "requests.h"
#include <map>
#include <memory>
#include <string>

struct Box {
    virtual ~Box() {}
    virtual double get() const = 0;
};
template <class T> struct Of : Box {
    T value;
    explicit Of(T value) : value(value) {}
    double get() const override { return value; }
};
struct Scaled : Box {
    int count;
    float weight;
    Scaled(int count, float weight) : count(count), weight(weight) {}
    double get() const override { return count * weight; }
};

static double of_boxes(const double *x) {
    std::map<std::string, std::unique_ptr<Box>> all;
    all["a"] = std::make_unique<Of<double>>(x[0] * x[1]);
    all["b"] = std::make_unique<Of<int>>(3);
    all["c"] = std::make_unique<Of<float>>((float)x[3]);
    all["d"] = std::make_unique<Scaled>(2, (float)x[1]);
    double sum = 0;
    for (auto &[name, box] : all) sum += box->get() * x[2] * (name[0] - 'a' + 1);
    return sum + all["a"]->get() + all["c"]->get() * all["c"]->get();
}
AD_FUNCTIONAL(of_boxes)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(of_boxes, 4)};
    cases[0].tol_diff = 1e-3, cases[0].tol_dot = 1e-6;
    check_random_points(&cases[0], 3, 0.2, 0.6);
    return check_done();
}
