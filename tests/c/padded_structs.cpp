/* Structs with padding on both sides of a real, moved by algorithms: the pieces before and behind the real are copied apart. */
// ad-i386: none, refused for now (AD033)
#include "requests.h"

#include <algorithm>
#include <vector>

enum { N = 7 };

struct Tagged { char tag; double x; short rank; };
static std::vector<Tagged> filled(const double *x) {
    std::vector<Tagged> all;
    for (int i = 0; i < N; i++) all.push_back({char(i), 0.1 * x[i] + i * 5 % N, short(2 * i)});
    return all;
}
static double total(const std::vector<Tagged> &all) {
    double sum = 0;
    int place = 1;
    for (const Tagged &e : all) sum += e.x * e.x * (e.tag + e.rank + 1) / place++;
    return sum;
}
static double moved(const double *x) {
    auto all = filled(x);
    std::sort(all.begin(), all.end(), [](const Tagged &a, const Tagged &b) { return a.x < b.x; });
    std::rotate(all.begin(), all.begin() + 2, all.end());
    all.insert(all.begin() + 1, Tagged{'c', x[0] * x[1], 3});
    all.erase(all.begin());
    std::reverse(all.begin() + 1, all.end());
    return total(all);
}

AD_FUNCTIONAL(moved)

int main() {
    check_case c = CHECK_FUNCTIONAL(moved, N);
    check_random_points(&c, 2, 0.3, 0.95);
    return check_done();
}
