/* A variant of a real, a text and a vector of the like, copied whole: where the real lies, texts have their address. */
#include "requests.h"
#include <string>
#include <utility>
#include <variant>
#include <vector>

enum { N = 3 };

struct node;
using nodes = std::vector<node>;
struct node {
    std::variant<double, std::string, nodes> v;
    node(double real) : v(real) {}
    node(std::string text) : v(std::move(text)) {}
    node(nodes all) : v(std::move(all)) {}
};
static double total(const node &n) {
    if (auto *real = std::get_if<double>(&n.v)) return *real * *real;
    if (auto *text = std::get_if<std::string>(&n.v)) return double(text->size());
    double sum = 1;
    for (const node &one : std::get<nodes>(n.v)) sum = sum * 0.9 + total(one);
    return sum;
}

static double one(const double *x) {
    node real(x[0] * x[1]);
    return total(node(real)) * x[2];
}
static double tree(const double *x) {
    nodes inner;
    for (int i = 0; i < N; i++) inner.push_back(node(x[i] * x[0]));
    nodes outer(inner);
    outer.push_back(node(std::string("a text that is too long for the string itself")));
    outer.push_back(node(inner));
    node copy(outer);
    return total(copy) * total(node(x[1] * x[2]));
}
AD_FUNCTIONAL(one)
AD_FUNCTIONAL(tree)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(one, N), CHECK_FUNCTIONAL(tree, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.1);
    return check_done();
}
