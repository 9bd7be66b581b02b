// Containers and holders of the standard library that keep active numbers: double-ended queues, queues, stacks, hashed maps,
// optionals, any, tuples, value arrays; sets of bits and views of texts beside the numbers.
// ad-long: many containers
#include "requests.h"
#include <any>
#include <bitset>
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <stack>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <valarray>
#include <vector>

// Grows at both ends past several of its blocks; insertion and removal within.
static double both_ends(const double *x) {
    std::deque<double> d;
    for (int i = 0; i < 150; i++) d.push_back(x[i % 4] * i * 0.1), d.push_front(x[(i + 1) % 4]);
    d.pop_front();
    d.pop_back();
    d.erase(d.begin() + 3);
    d.insert(d.begin() + 7, x[0] * x[1]);
    double sum = 0;
    for (double &v : d) v *= v, sum += v;
    for (size_t i = 0; i < d.size(); i++) sum += d[i] * i * 0.01;
    return sum * d.front() + d.back();
}
static double lines(const double *x) {
    std::queue<double> q;
    std::stack<double> s;
    for (int i = 0; i < 90; i++) q.push(x[i % 4] * i), s.push(x[i % 4] + i);
    double sum = 0;
    while (!q.empty()) {
        sum += q.front() * s.top() * 0.01;
        q.pop();
        s.pop();
    }
    return sum;
}
static double hashed(const double *x) {
    std::unordered_map<int, double> m;
    for (int i = 0; i < 60; i++) m[i * 7 % 35] += x[i % 4] * i;
    m.erase(14);
    double sum = 0;
    for (auto &p : m) sum += p.second * p.second * p.first;
    for (auto &p : m) p.second *= 2;
    auto found = m.find(21);
    return sum + (found != m.end() ? found->second : 0.0) * m.at(7) + m.size();
}
static double perhaps(const double *x) {
    std::optional<double> a, b;
    if (x[0] > 0) a = x[0] * x[1];
    double r = a.value_or(2.0) + b.value_or(x[2]);
    b = a;
    r *= *b;
    b.reset();
    return r + (b ? 1 : 2) * a.value();
}
static double anything(const double *x) {
    std::any a = x[0] * x[1];
    double r = std::any_cast<double>(a);
    std::any b = a;
    a = r * x[2];
    return std::any_cast<double>(a) * std::any_cast<double>(b);
}
static double tuples(const double *x) {
    std::tuple<int, double, std::pair<double, float>> t(2, x[0], {x[1], 3.f});
    auto [i, d, p] = t;
    std::get<1>(t) *= d * i;
    auto u = t;
    return std::get<1>(u) * p.first * p.second;
}
static double values(const double *x) {
    std::valarray<double> v(x, 4), w = v * v + 2.0 * v;
    w[std::slice(0, 2, 2)] = std::valarray<double>(x, 2);
    v = sin(w) * exp(-v);
    return v.sum() + w.max() + (v * w).sum();
}
static double beside(const double *x) {
    std::bitset<20> b;
    b.set(3);
    b.flip(2);
    std::vector<bool> flags(4);
    flags[1] = true;
    flags.push_back(false);
    std::string_view text = "hello";
    double sum = 0;
    for (int i = 0; i < 4; i++)
        if (b[i] != flags[i]) sum += x[i] * x[i];
    return sum * text.size() + x[0] * b.count();
}
struct leaf {
    double value;
    std::unique_ptr<leaf> left, right;
};
static void insert(std::unique_ptr<leaf> &at, double value) {
    if (!at) {
        at = std::make_unique<leaf>();
        at->value = value;
    } else {
        insert(value < at->value ? at->left : at->right, value);
    }
}
static double depths(const leaf *at, int depth) {
    return at ? at->value * at->value * depth + depths(at->left.get(), depth + 1) + depths(at->right.get(), depth + 1) : 0;
}
static double searched(const double *x) {
    std::unique_ptr<leaf> root;
    for (int i = 0; i < 4; i++) insert(root, x[i]);
    return depths(root.get(), 1);
}

AD_FUNCTIONAL(both_ends)
AD_FUNCTIONAL(lines)
AD_FUNCTIONAL(hashed)
AD_FUNCTIONAL(perhaps)
AD_FUNCTIONAL(anything)
AD_FUNCTIONAL(tuples)
AD_FUNCTIONAL(values)
AD_FUNCTIONAL(beside)
AD_FUNCTIONAL(searched)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(both_ends, 4), CHECK_FUNCTIONAL(lines, 4), CHECK_FUNCTIONAL(hashed, 4),
                          CHECK_FUNCTIONAL(perhaps, 4), CHECK_FUNCTIONAL(anything, 4), CHECK_FUNCTIONAL(tuples, 4),
                          CHECK_FUNCTIONAL(values, 4), CHECK_FUNCTIONAL(beside, 4), CHECK_FUNCTIONAL(searched, 4)};
    for (check_case &c : cases) {
        c.step = 0.0001; // The order stays as it is.
        check_random_points(&c, 2, 0.3, 1.1);
    }
    return check_done();
}
