// Containers ordered by active numbers: sets, multisets, multimaps, priority queues. The order is constant around the point, the
// keys themselves carry derivatives.
// ad-i386: none, refused for now, an integer of four bytes may be a pointer (AD034)
// ad-sanitizers: address
// ad-long: red-black trees
#include "requests.h"
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <vector>

// Order statistics, weighted by rank.
static double ranks(const double *x) {
    std::set<double> s;
    for (int i = 0; i < 8; i++) s.insert(i % 2 ? x[i] : x[i] * x[i] + 2);
    double sum = 0, rank = 1;
    for (double v : s) sum += rank++ * v * v;
    s.erase(s.begin());
    s.erase(std::prev(s.end()));
    auto at = s.lower_bound(1.5);
    if (at != s.end()) sum += *at * 3;
    for (auto i = s.rbegin(); i != s.rend(); ++i) sum = sum * 0.9 + *i;
    return sum;
}

// Equal keys, kept side by side; the smallest two are merged until one is left, as Huffman did.
static double merged(const double *x) {
    std::multiset<double> s;
    for (int i = 0; i < 6; i++) s.insert(x[i]), s.insert(x[i]);
    double cost = 0;
    while (s.size() > 1) {
        double a = *s.begin();
        s.erase(s.begin());
        double b = *s.begin();
        s.erase(s.begin());
        cost += (a + b) * (a + b);
        s.insert(a + b);
    }
    return cost;
}

// Events in order of their times; each may cause a later one.
static double events(const double *x) {
    std::multimap<double, int> agenda;
    for (int i = 0; i < 5; i++) agenda.emplace(x[i], i);
    double state = 1, now = 0;
    for (int done = 0; !agenda.empty() && done < 120; done++) {
        auto [time, kind] = *agenda.begin();
        agenda.erase(agenda.begin());
        state = state * std::exp(-0.3 * (time - now)) + 0.1 * kind;
        now = time;
        agenda.emplace(time + x[kind] * (1.5 + kind), (kind * 3 + 1) % 5);
    }
    return state + now;
}

// Shortest ways through a grid whose steps cost x.
static double shortest(const double *x) {
    enum { n = 6 };
    typedef std::pair<double, int> entry;
    std::priority_queue<entry, std::vector<entry>, std::greater<entry>> open;
    std::vector<double> distance(n * n, 1e30);
    distance[0] = x[0] * 0.1;
    open.push({distance[0], 0});
    while (!open.empty()) {
        auto [d, at] = open.top();
        open.pop();
        if (d > distance[at]) continue;
        const int row = at / n, column = at % n, step[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
        for (auto &s : step) {
            int r = row + s[0], c = column + s[1], to = r * n + c;
            if (r < 0 || c < 0 || r >= n || c >= n) continue;
            double w = d + x[(to * 5 + at) % 7] * x[at % 7] * (1 + 0.01 * to);
            if (w < distance[to]) {
                distance[to] = w;
                open.push({w, to});
            }
        }
    }
    double sum = 0;
    for (int i = 0; i < n * n; i++) sum += distance[i] * distance[i] * 0.1;
    return sum;
}

// The k largest of a stream of values.
static double largest(const double *x) {
    std::priority_queue<double, std::vector<double>, std::greater<double>> top;
    for (int i = 0; i < 40; i++) {
        top.push(x[i % 9] * std::sin(1.0 + i));
        if (top.size() > 7) top.pop();
    }
    double product = 1;
    for (; !top.empty(); top.pop()) product *= 1 + top.top();
    return product;
}

AD_FUNCTIONAL(ranks)
AD_FUNCTIONAL(merged)
AD_FUNCTIONAL(events)
AD_FUNCTIONAL(shortest)
AD_FUNCTIONAL(largest)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(ranks, 8), CHECK_FUNCTIONAL(merged, 6), CHECK_FUNCTIONAL(events, 5),
                          CHECK_FUNCTIONAL(shortest, 7), CHECK_FUNCTIONAL(largest, 9)};
    for (check_case &c : cases) {
        c.step = 0.0001; // The order stays as it is.
        check_random_points(&c, 2, 0.5, 1.1);
    }
    return check_done();
}
