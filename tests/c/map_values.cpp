// Maps whose values are active: filled and read here, in callees, by the caller; hundreds of
// insertions and removals, so that trees are rebalanced in every way.
// ad-i386: none, refused for now, as map_keys.cpp is (AD034)
// ad-sanitizers: address
// ad-long: red-black trees
#include "requests.h"
#include <map>

// Insertion by index and by pair, lookup, walks in both directions, removal by key and by place.
static double few(const double *x) {
    std::map<int, double> m;
    for (int i = 0; i < 6; i++) m[(i * 5) % 6] = x[i] * x[i];
    m.insert({17, x[0] * x[1]});
    m.insert({3, x[0]}); // There already.
    m.emplace(-1, std::sin(x[2]));
    double sum = 0, place = 1;
    for (const auto &p : m) sum += place++ * p.second;
    for (auto i = m.rbegin(); i != m.rend(); ++i) sum += place++ * i->second * i->second;
    m.erase(2);
    m.erase(m.find(17));
    auto found = m.find(3);
    if (found != m.end()) sum *= found->second;
    sum += m.count(2) ? x[5] : m.at(0);
    m[4] *= x[3];
    for (auto &p : m) p.second = sum * p.second, sum += p.second;
    return sum;
}

static int scattered(int i, int n) { return (i * 167 + 13) % n; }

// n insertions in scattered order, two thirds of them taken out again in another.
static double many(const double *x) {
    enum { n = 401 };
    std::map<int, double> m;
    for (int i = 0; i < n; i++) m[scattered(i, n)] = x[i % 7] * (1 + 0.01 * i);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        int k = scattered(3 * i, n);
        if (k % 3 == 0) continue;
        auto at = m.find(k);
        if (k % 5) sum += 0.1 * at->second * at->second;
        m.erase(at);
    }
    for (auto &p : m) sum = sum * 0.99 + std::sin(p.second) * p.first * 0.01;
    for (int i = 0; i < n; i += 2) m[i] += sum * x[i % 7];
    for (auto i = m.end(); i != m.begin();) sum = 0.9 * sum + (--i)->second;
    return sum;
}

// Grows and shrinks at both ends, down to nothing and up again.
static double ends(const double *x) {
    std::map<int, double> m;
    double sum = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 40; i++) m[round == 1 ? -i : i] = x[i % 4] + sum * 0.01;
        while (!m.empty()) {
            auto at = m.size() % 2 ? m.begin() : std::prev(m.end());
            sum += at->second * at->second;
            m.erase(at);
        }
    }
    return sum;
}

__attribute__((noinline)) static void put(std::map<int, double> &m, int key, double value) { m[key] += value * value; }
__attribute__((noinline)) static double total(const std::map<int, double> &m) {
    double sum = 0;
    for (const auto &p : m) sum += p.first * p.second;
    return sum;
}
__attribute__((noinline)) static void drop(std::map<int, double> &m, double below) {
    for (auto i = m.begin(); i != m.end();) i = i->second < below ? m.erase(i) : std::next(i);
}

// The map goes through callees.
static double callees(const double *x) {
    std::map<int, double> m;
    for (int i = 0; i < 30; i++) put(m, i % 11, x[i % 5] * (i % 11));
    double first = total(m);
    drop(m, 40);
    m[100] = first * x[1];
    std::map<int, double> copy;
    copy[5] = x[0];
    put(copy, 3, x[2]);
    m.swap(copy);
    return total(m) + 2 * total(copy) + 3 * first;
}

// The caller's map, with a map of the same shape as its shadow: values in nodes that the caller made.
struct model {
    std::map<int, double> weights;
    std::map<int, double> results;
};
static double predict(model &m, const double *x) {
    double sum = 0;
    for (auto &w : m.weights) sum += w.second * x[w.first] * x[w.first];
    m.results.begin()->second = sum;
    return std::tanh(sum);
}

// A number of its own lies behind the tree's header, where nodes have their values.
struct counted {
    std::map<int, double> values;
    long changes;
    double last;
    void set(int key, double value) { values[key] = last = value, changes++; }
};
__attribute__((noinline)) static void damp(counted &c) {
    for (auto &p : c.values) p.second *= 0.9, c.changes++;
    c.last *= c.changes;
}
static double members(const double *x) {
    counted c = {{}, 0, 1};
    for (int i = 0; i < 9; i++) c.set(i * 4 % 9, x[i % 3] * (i + 1));
    damp(c);
    double sum = c.last;
    for (auto &p : c.values) p.second *= p.second, c.changes--, sum += p.second * c.changes;
    return sum + c.values[c.changes];
}

AD_FUNCTIONAL(few)
AD_FUNCTIONAL(many)
AD_FUNCTIONAL(ends)
AD_FUNCTIONAL(callees)
AD_FUNCTIONAL(members)

static void outside(void) {
    double x[3] = {0.3, -0.7, 0.5}, xb[3] = {}, xd[3] = {1, 2, 3};
    model m, b, d;
    for (int i = 0; i < 3; i++) m.weights[i] = 0.4 + i, b.weights[i] = 0, d.weights[i] = 0.1 * i;
    m.results[0] = b.results[0] = d.results[0] = 0;
    double tangent = __ad_tangent_double((void *)predict, &m, &d, x, xd);
    double want = 0, s = 0;
    for (int i = 0; i < 3; i++) s += (0.4 + i) * x[i] * x[i];
    double slope = 1 - std::tanh(s) * std::tanh(s);
    for (int i = 0; i < 3; i++) want += 0.1 * i * x[i] * x[i] + 2 * (0.4 + i) * x[i] * xd[i];
    check_close("tangent of a caller's map", tangent, slope * want, 1e-13);
    check_close("shadow in a caller's map", d.results[0], want, 1e-13);
    b.results[0] = 2.0;
    __ad_adjoint_void((void *)predict, &m, &b, x, xb);
    for (int i = 0; i < 3; i++) {
        check_close("weights", b.weights[i], (slope + 2) * x[i] * x[i], 1e-13);
        check_close("inputs", xb[i], (slope + 2) * 2 * (0.4 + i) * x[i], 1e-13);
    }
    check_true("consumed", b.results[0] == 0);
    check_close("result", m.results[0], s, 1e-14);
}

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(few, 6), CHECK_FUNCTIONAL(many, 7), CHECK_FUNCTIONAL(ends, 4),
                          CHECK_FUNCTIONAL(callees, 5), CHECK_FUNCTIONAL(members, 3)};
    cases[1].step = cases[2].step = 0.002;
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    outside();
    return check_done();
}
