/* Lists of structs, copied, assigned, and then sorted: their iterators lead to nodes or to the header, which is a variable and has an
 * integer where nodes have a real.
 * ad-i386: none, addresses of four bytes look like floats */
#include "requests.h"

#include <cmath>
#include <list>

enum { N = 7 };

struct Point { double x, y; int id; };
static Point made(const double *x, int i) { return {0.1 * x[i] + i * 5 % N, sin(x[i]), i}; }
static double total(const std::list<Point> &all) {
    double sum = 0;
    int place = 1;
    for (const Point &p : all) sum += p.x * p.y * (p.id + 1) / place++;
    return sum;
}
static double lists(const double *x) {
    std::list<Point> l;
    for (int i = 0; i < N; i++) l.push_back(made(x, i)), l.push_front(made(x, N - 1 - i));
    auto copy = l;
    copy.sort([](const Point &a, const Point &b) { return a.x < b.x; });
    copy.pop_front();
    auto other = copy;
    other = l;
    return total(copy) + 2 * total(other);
}

AD_FUNCTIONAL(lists)

int main() {
    check_case c = CHECK_FUNCTIONAL(lists, N);
    check_random_points(&c, 2, 0.3, 0.95);
    return check_done();
}
