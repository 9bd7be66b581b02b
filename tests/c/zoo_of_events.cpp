// Discrete events in a priority queue, each with a function, servers with queues, and statistics by name: passes copy an
// event in parts, of which one begins in the middle of a word.
// ad-flags: -std=c++20
// ad-levels: O1 O2 O3
// ad-long: many templates
// ad-i386: none, copies of unknown type add adjoints where an address has eight bytes only
#include "requests.h"
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>
struct Event { double time; int id; std::function<void(double)> fire; bool operator>(const Event &o) const { return std::tie(time, id) > std::tie(o.time, o.id); } };
class World {
    std::priority_queue<Event, std::vector<Event>, std::greater<>> todo;
    std::unordered_map<std::string, std::vector<double>> log;
    int next = 0;
public:
    double now = 0;
    void at(double t, std::function<void(double)> f) { todo.push({t, next++, std::move(f)}); }
    void note(const std::string &k, double v) { log[k].push_back(v); }
    void run(double until) { while (!todo.empty() && todo.top().time < until) { Event e = todo.top(); todo.pop(); now = e.time; e.fire(now); } }
    std::tuple<double, double, size_t> stats(const std::string &k) const { auto it = log.find(k); if (it == log.end()) return {0, 0, 0}; auto &v = it->second; double m = std::accumulate(v.begin(), v.end(), 0.0) / v.size(); double s = std::inner_product(v.begin(), v.end(), v.begin(), 0.0); return {m, s - m * m, v.size()}; }
};
struct Server { World &w; double rate; std::deque<double> waiting; bool busy = false;
    void arrive(double t) { waiting.push_back(t); if (!busy) start(t); }
    void start(double t) { busy = true; double since = waiting.front(); waiting.pop_front(); double d = rate * (1 + 0.1 * waiting.size()); w.note("wait", t - since); w.at(t + d, [this](double u) { w.note("done", u); busy = false; if (!waiting.empty()) start(u); }); } };
static double of_events(const double *x) {
    World w; std::array<Server, 2> s{Server{w, x[0], {}}, Server{w, x[1], {}}};
    for (int i = 0; i < 8; i++) w.at(0.21 * i * x[2], [&s, i](double t) { s[i % 2].arrive(t); });
    w.run(100);
    auto [m, v, n] = w.stats("wait"); auto [dm, dv, dn] = w.stats("done");
    return m * n + v * x[3] + dm * dm + dv + dn;
}
AD_FUNCTIONAL(of_events)
int main() { check_case c = CHECK_FUNCTIONAL(of_events, 4); check_random_points(&c, 2, 0.21, 0.6); return check_done(); }
