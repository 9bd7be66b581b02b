// Shortest ways between places with names: edges and distances in hash tables, a queue of pairs of a real and a name.
// Lengths of names, which are only compared, lie beside the reals.
// ad-i386: none, strings beside reals are moved as what may be pointers (AD034)
#include "requests.h"
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

struct edge { std::string to; double length; };
using edges = std::unordered_map<std::string, std::vector<edge>>;

static edges network(const double *x) {
    edges all;
    all["home"].push_back({"lake", x[0]});
    all["home"].push_back({"hill", x[1] * x[2] + 1});
    all["lake"].push_back({"hill", x[3]});
    all["hill"].push_back({"a town behind the hill", x[0] * x[3]});
    return all;
}
// The distances of the edges from one place.
static double neighbours(const double *x) {
    edges all = network(x);
    std::unordered_map<std::string, double> distances;
    for (const edge &e : all.find("home")->second) distances[e.to] = e.length * e.length;
    double sum = 0;
    for (auto &[name, distance] : distances) sum += distance * name.size() * x[2];
    return sum;
}
// Dijkstra's.
static double shortest(const double *x) {
    edges all = network(x);
    using item = std::pair<double, std::string>;
    std::priority_queue<item, std::vector<item>, std::greater<item>> queue;
    std::unordered_map<std::string, double> best;
    queue.push({0.0, "home"}), best["home"] = 0;
    double sum = 0;
    while (!queue.empty()) {
        auto [distance, at] = queue.top();
        queue.pop();
        sum += distance * distance;
        auto from = all.find(at);
        if (from == all.end()) continue;
        for (const edge &e : from->second) {
            double next = distance + e.length;
            auto known = best.find(e.to);
            if (known == best.end() || next < known->second) best[e.to] = next, queue.emplace(next, e.to);
        }
    }
    return sum + best.at("a town behind the hill") * x[1];
}
AD_FUNCTIONAL(neighbours)
AD_FUNCTIONAL(shortest)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(neighbours, 4), CHECK_FUNCTIONAL(shortest, 4)};
    for (auto &c : cases) check_random_points(&c, 3, 0.2, 0.9);
    return check_done();
}
