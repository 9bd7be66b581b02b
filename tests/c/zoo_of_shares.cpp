// Shared shapes of several kinds, events that hold functions, and a queue of them: the library reads both
// counters of a shared_ptr in one step, and code uses the halves. A hash table of them has a float for its load
// factor: all reals that have derivatives are doubles.
// ad-i386: none, maps and sets of addresses are refused where an address has four bytes
#include "requests.h"
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <map>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>
struct Event { double t; int kind; std::function<double(double)> act; };
class Queue {
  std::list<Event> all_;
public:
  void add(Event e) { auto it = all_.begin(); while (it != all_.end() && it->t < e.t) ++it; all_.insert(it, std::move(e)); }
  std::optional<Event> next() { if (all_.empty()) return std::nullopt; Event e = std::move(all_.front()); all_.pop_front(); return e; }
};
using Shape = std::variant<double, std::pair<double, double>, std::vector<double>>;
static double area(const Shape &s) {
  struct V {
    double operator()(double r) const { return 3 * r * r; }
    double operator()(const std::pair<double, double> &p) const { return p.first * p.second; }
    double operator()(const std::vector<double> &v) const { double s = 0; for (double d : v) s += d * d; return s; }
  };
  return std::visit(V{}, s);
}
template <class Shapes, class Row> static double scheduled(const double *x) {
  Queue q;
  Shapes shapes;
  shapes[1] = std::make_shared<Shape>(x[0]);
  shapes[2] = std::make_shared<Shape>(std::make_pair(x[1], x[2]));
  shapes[3] = std::make_shared<Shape>(std::vector<double>{x[0], x[3]});
  for (int k = 1; k <= 3; k++) { auto s = shapes[k]; q.add({x[k] * k, k, [s, &x](double y) { return y * area(*s) + x[0]; }}); }
  double y = 1;
  while (auto e = q.next()) y = e->act(y) + e->t * e->kind;
  Row d;
  for (int i = 0; i < 5; i++) { d.insert(d.begin(), y * i); d.push_back(x[i % 4]); }
  double s = 0;
  for (size_t i = 0; i < d.size(); i++) s += d[i] * (1 + i);
  return s;
}
static double in_order(const double *x) { return scheduled<std::map<int, std::shared_ptr<Shape>>, std::deque<double>>(x); }
static double by_hash(const double *x) { return scheduled<std::unordered_map<int, std::shared_ptr<Shape>>, std::vector<double>>(x); }
AD_FUNCTIONAL(in_order)
AD_FUNCTIONAL(by_hash)
int main() {
  check_case cs[] = {CHECK_FUNCTIONAL(in_order, 4), CHECK_FUNCTIONAL(by_hash, 4)};
  for (auto &c : cs) check_random_points(&c, 2, 0.2, 0.6);
  return check_done();
}
