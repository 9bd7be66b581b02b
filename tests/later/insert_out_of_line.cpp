/* Insertion in a vector of structs by a function that is not inlined: its caller's elements are behind two pointers, the beginning and
 * the end, and the difference of the end and a position is divided nowhere. */
/* ad-levels: O1 O2 O3
 * ad-error: AD030 - active data of type i8 */
#include "requests.h"

#include <cmath>
#include <vector>

enum { N = 7 };

struct Point { double x, y; int id; };
static __attribute__((noinline)) void move_first(std::vector<Point> &v, const Point &e, int at) {
    v.insert(v.begin() + at, e);
    v.erase(v.begin());
}
static double moved(const double *x) {
    std::vector<Point> v;
    for (int i = 0; i < N; i++) v.push_back({x[i], sin(x[i]), i});
    for (int i = 1; i < 4; i++) move_first(v, {x[i] * x[0], x[i], i}, i);
    double sum = 0;
    int place = 1;
    for (const Point &p : v) sum += p.x * p.y * (p.id + 1) / place++;
    return sum;
}

AD_FUNCTIONAL(moved)

int main() {
    check_case c = CHECK_FUNCTIONAL(moved, N);
    check_random_points(&c, 2, 0.3, 0.95);
    return check_done();
}
