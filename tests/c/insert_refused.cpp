/* Insertion in a vector of structs by a function that is not inlined: its caller's elements are behind two pointers, the beginning and
 * the end, and the difference of the end and a position is divided nowhere. */
/* LLVM moves elements there by their first byte and the rest. In the adjoint this is an error when the program runs: a part of a real has no
 * adjoint. The tangent is right.
 * ad-levels: O1 O2 O3
 * ad-i386: none, addresses of four bytes look like floats */
#include "ending.h"
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
    const double x[N] = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    check_case_ends("moved, adjoint", &c, x, 1, "AD221", "active real was stored");
    double xd[N] = {1.0}, y[1], yd[1], entries[1];
    c.tangent(x, xd, y, yd);
    check_directional(c.primal, N, 1, x, xd, 1e-5, entries);
    check_close("moved, tangent", yd[0], entries[0], 1e-6);
    return check_done();
}
