// Objects of several classes in one vector, by value: a circle holds reals, a polygon a vector of them. Sorting
// moves the objects, and passes move what they have in common as one word, a real's bits or a pointer.
// ad-levels: O0 O1 O2
#include "requests.h"
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

struct circle { double radius; };
struct rectangle { double width, height; };
struct polygon { std::vector<std::pair<double, double>> corners; };
using shape = std::variant<circle, rectangle, polygon>;

struct areas {
    double operator()(const circle &c) const { return M_PI * c.radius * c.radius; }
    double operator()(const rectangle &r) const { return r.width * r.height; }
    double operator()(const polygon &p) const {
        double sum = 0;
        for (size_t i = 0; i < p.corners.size(); i++) {
            auto [x1, y1] = p.corners[i];
            auto [x2, y2] = p.corners[(i + 1) % p.corners.size()];
            sum += x1 * y2 - x2 * y1;
        }
        return std::fabs(sum) / 2;
    }
};
static double area(const shape &s) { return std::visit(areas{}, s); }

struct item { std::string name; shape outline; std::optional<double> weight; };

static double sorted(const double *x) {
    std::vector<item> items;
    items.push_back({"a circle with a long name", circle{x[0]}, {}});
    items.push_back({"rectangle", rectangle{x[0], x[1]}, x[2]});
    items.push_back({"polygon", polygon{{{0, 0}, {x[1], 0.1}, {x[2], x[0]}, {0.1, x[1]}}}, std::nullopt});
    std::sort(items.begin(), items.end(),
              [](const item &a, const item &b) { return area(a.outline) < area(b.outline); });
    double sum = 0, rank = 1;
    for (auto &i : items) {
        sum += rank++ * area(i.outline) * i.weight.value_or(0.5);
        if (auto *c = std::get_if<circle>(&i.outline)) sum += c->radius * i.name.size();
    }
    items[0].outline = rectangle{x[2], x[2]};
    for (auto &i : items) sum += area(i.outline);
    return sum;
}

struct reading { std::variant<double, std::vector<double>> value; };
static double total(const reading &r) {
    if (auto *one = std::get_if<double>(&r.value)) return *one * *one;
    double sum = 0;
    for (double v : std::get<std::vector<double>>(r.value)) sum += v * v;
    return sum;
}
// One element is moved past others, whatever these hold.
static double rotated(const double *x) {
    std::vector<reading> all;
    all.push_back({x[0]});
    all.push_back({std::vector<double>{x[1], 0.1}});
    all.push_back({x[2]});
    std::rotate(all.begin(), all.begin() + 1, all.end());
    std::stable_sort(all.begin(), all.end(), [](const reading &a, const reading &b) { return total(a) > total(b); });
    std::swap(all[0], all[2]);
    double sum = 0, rank = 1;
    for (auto &r : all) sum += rank++ * total(r);
    return sum;
}
AD_FUNCTIONAL(sorted)
AD_FUNCTIONAL(rotated)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(sorted, 3), CHECK_FUNCTIONAL(rotated, 3)};
    for (auto &c : cases) check_random_points(&c, 3, 0.2, 0.9);
    return check_done();
}
