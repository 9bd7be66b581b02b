// A hash table, whose load factor is a float, beside variants and closures that are moved untyped: all reals that
// have derivatives are doubles.
// ad-i386: none, copies of unknown type add adjoints where an address has eight bytes only
#include "requests.h"
#include <functional>
#include <list>
#include <memory>
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
static double scheduled(const double *x) {
  Queue q;
  std::unordered_map<int, std::shared_ptr<Shape>> shapes;
  shapes[1] = std::make_shared<Shape>(x[0]);
  shapes[2] = std::make_shared<Shape>(std::make_pair(x[1], x[2]));
  shapes[3] = std::make_shared<Shape>(std::vector<double>{x[0], x[3]});
  for (int k = 1; k <= 3; k++) { auto s = shapes[k]; q.add({x[k] * k, k, [s, &x](double y) { return y * area(*s) + x[0]; }}); }
  double y = 1;
  while (auto e = q.next()) y = e->act(y) + e->t * e->kind;
  std::vector<double> d;
  for (int i = 0; i < 5; i++) { d.push_back(y*i); d.push_back(x[i % 4]); }
  double s = 0;
  for (size_t i = 0; i < d.size(); i++) s += d[i] * (1 + i);
  return s;
}
AD_FUNCTIONAL(scheduled)
int main() {
  check_case cs[] = {CHECK_FUNCTIONAL(scheduled, 4)};
  for (auto &c : cs) check_random_points(&c, 2, 0.2, 0.6);
  return check_done();
}
