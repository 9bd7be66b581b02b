#include "shapes.h"

#include <cmath>
#include <stdexcept>

double limit;

Shape::~Shape() = default;

namespace {
struct Square : Shape {
    double area(double size) const override { return size * size; }
};

struct Disc : Shape {
    double area(double size) const override { return M_PI / 4 * size * size * std::cos(size); }
};
} // namespace

const Shape *make_shape(int kind) {
    if (kind == 0) return new Square;
    return new Disc;
}

double root(double x) {
    if (x < 0) throw std::domain_error("root");
    return std::sqrt(x);
}
