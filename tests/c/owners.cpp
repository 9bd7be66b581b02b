// Owners of memory and values beside the numbers: unique_ptr, shared_ptr, complex, algorithms, tuple, optional.
#include "requests.h"
#include <algorithm>
#include <complex>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

struct Node { double v; std::unique_ptr<Node> left, right; };
static double eval(const Node *n) { return n ? n->v * n->v + 2 * eval(n->left.get()) * (1 + eval(n->right.get())) : 0.3; }
static double tree(const double *x) {
    auto root = std::make_unique<Node>(Node{x[0], nullptr, nullptr});
    root->left = std::make_unique<Node>(Node{x[1], nullptr, nullptr});
    root->right = std::make_unique<Node>(Node{x[2] * x[0], nullptr, nullptr});
    root->left->left = std::make_unique<Node>(Node{x[2], nullptr, nullptr});
    return eval(root.get());
}
static double shared(const double *x) {
    auto p = std::make_shared<std::vector<double>>(x, x + 3);
    std::vector<std::shared_ptr<std::vector<double>>> all(3, p);
    for (auto &q : all) for (double &v : *q) v *= 1.1 * v;
    return (*p)[0] + (*p)[1] * (*p)[2];
}
static double complexes(const double *x) {
    std::complex<double> z(x[0], x[1]), w = std::exp(z) * std::conj(z) / (z + 2.0);
    return std::abs(w) + std::arg(w) * x[2];
}
static double algorithms(const double *x) {
    std::vector<double> v(x, x + 3), w(3);
    std::transform(v.begin(), v.end(), w.begin(), [](double a) { return a * a; });
    double dot = std::inner_product(v.begin(), v.end(), w.begin(), 0.0);
    std::partial_sum(w.begin(), w.end(), w.begin());
    return dot + std::accumulate(w.begin(), w.end(), 1.0, std::multiplies<>()) + *std::max_element(v.begin(), v.end());
}
static double tuples(const double *x) {
    auto f = [](double a, double b) { return std::make_tuple(a * b, a + b, 3); };
    auto [p, s, n] = f(x[0], x[1]);
    std::optional<double> o;
    if (x[2] > 0) o = p * s;
    std::pair<double, double> q{*o, x[2]};
    return q.first * q.second * n + o.value_or(1.0);
}
AD_FUNCTIONAL(tree)
AD_FUNCTIONAL(shared)
AD_FUNCTIONAL(complexes)
AD_FUNCTIONAL(algorithms)
AD_FUNCTIONAL(tuples)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(tree, 3),       CHECK_FUNCTIONAL(shared, 3), CHECK_FUNCTIONAL(complexes, 3),
                          CHECK_FUNCTIONAL(algorithms, 3), CHECK_FUNCTIONAL(tuples, 3)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
