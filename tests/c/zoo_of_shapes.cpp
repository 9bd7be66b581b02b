// ad-i386: none, a word that is a real or a pointer there is two words where an address has four bytes (AD034)
//
// Objects of two classes in one vector, by value: a circle holds a real, a polygon a vector of them. Sorting moves the
// objects, and passes move what they have in common as one word, a real's bits or a pointer.
#include "requests.h"
#include <algorithm>
#include <variant>
#include <vector>

struct circle { double radius; };
struct polygon { std::vector<double> sides; };
using shape = std::variant<circle, polygon>;
struct size {
    double operator()(const circle &c) const { return c.radius * c.radius; }
    double operator()(const polygon &p) const {
        double sum = 0;
        for (double side : p.sides) sum += side * side;
        return sum;
    }
};
static double size_of(const shape &s) { return std::visit(size{}, s); }
struct item { shape outline; };

static double sorted(const double *x) {
    std::vector<item> items;
    items.push_back({circle{x[0]}});
    items.push_back({polygon{{x[1], 0.1}}});
    items.push_back({circle{x[2]}});
    std::sort(items.begin(), items.end(),
              [](const item &a, const item &b) { return size_of(a.outline) < size_of(b.outline); });
    double sum = 0, rank = 1;
    for (auto &i : items) sum += rank++ * size_of(i.outline);
    items[0].outline = circle{x[2] * x[1]};
    return sum + size_of(items[0].outline);
}
AD_FUNCTIONAL(sorted)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(sorted, 3)};
    for (auto &c : cases) check_random_points(&c, 3, 0.2, 0.9);
    return check_done();
}
