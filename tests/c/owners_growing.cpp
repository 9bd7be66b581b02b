// ad-i386: none, addresses of four bytes look like floats
/* A vector of owners of objects, which grows: its pointers are moved as 8 bytes. Type-based alias analysis says what they are, or the
 * program finds out when it runs (-O0). */
#include "requests.h"

#include <memory>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Circle : Shape {
    double r;
    explicit Circle(double r) : r(r) {}
    double area() const override { return 3.14 * r * r; }
};
struct Box : Shape {
    double a, b;
    Box(double a, double b) : a(a), b(b) {}
    double area() const override { return a * b; }
};
static double areas(const double *x) {
    std::vector<std::unique_ptr<Shape>> all;
    all.push_back(std::make_unique<Circle>(x[0]));
    all.push_back(std::make_unique<Box>(x[1], x[2]));
    all.emplace_back(new Circle(x[1] * x[2]));
    double sum = 0;
    for (auto &shape : all) sum += shape->area() * (1 + sum);
    return sum;
}

AD_FUNCTIONAL(areas)

int main() {
    check_case c = CHECK_FUNCTIONAL(areas, 3);
    check_random_points(&c, 2, 0.3, 0.95);
    return check_done();
}
