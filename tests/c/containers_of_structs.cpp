// Containers whose elements are structs of reals and integers: copied, assigned and sorted as a whole.
// ad-long: many containers
#include "requests.h"
#include <cmath>
#include <deque>
#include <list>
#include <queue>
#include <vector>

namespace {
enum { N = 7 };

struct Point { double x, y; int id; };
Point made(const double *x, int i) { return {0.1 * x[i] + i * 5 % N, sin(x[i]), i}; }
double worth(const Point &p) { return p.x * p.y * (p.id + 1); }
template <class C> double total(const C &c) {
    double sum = 0;
    int place = 1;
    for (const Point &p : c) sum += worth(p) / place++;
    return sum;
}

double queues(const double *x) {
    std::deque<Point> d;
    for (int i = 0; i < 30; i++) d.push_back(made(x, i % N)), d.push_front(made(x, (i + 1) % N));
    auto e = d;
    e.pop_front();
    double sum = total(e);
    e = d;
    return sum + 2 * total(e);
}
double ordered(const double *x) {
    std::list<Point> l;
    for (int i = 0; i < N; i++) l.push_back(made(x, i));
    l.sort([](const Point &a, const Point &b) { return a.x < b.x; });
    return total(l);
}
struct Less {
    bool operator()(const Point &a, const Point &b) const { return a.x < b.x; }
};
double priorities(const double *x) {
    std::priority_queue<Point, std::vector<Point>, Less> q;
    for (int i = 0; i < N; i++) q.push(made(x, i));
    double sum = 0;
    for (int i = 1; !q.empty(); i++) sum += worth(q.top()) / i, q.pop();
    return sum;
}
double nested(const double *x) {
    std::vector<std::vector<Point>> rows;
    for (int i = 0; i < 4; i++) {
        rows.emplace_back();
        for (int j = 0; j <= i; j++) rows.back().push_back(made(x, i + j));
    }
    rows.insert(rows.begin(), rows[2]);
    auto copy = rows;
    double sum = 0;
    for (auto &row : copy) sum = sum * 1.1 + total(row);
    return sum;
}

AD_FUNCTIONAL(queues)
AD_FUNCTIONAL(ordered)
AD_FUNCTIONAL(priorities)
AD_FUNCTIONAL(nested)
} // namespace

int main() {
    check_case cases[] = {
        CHECK_FUNCTIONAL(queues, N), CHECK_FUNCTIONAL(ordered, N), CHECK_FUNCTIONAL(priorities, N), CHECK_FUNCTIONAL(nested, N),
    };
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 0.95);
    return check_done();
}
