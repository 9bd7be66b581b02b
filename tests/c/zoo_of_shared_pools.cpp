// ad-levels: O0 O1 O2
// ad-flags: -std=c++20
// ad-i386: none, resources are refused there (AD022)
// A pool from before the request, which its memory goes back to when the reverse sweep is through with it.
#include "requests.h"

#include <cmath>
#include <map>
#include <memory_resource>
#include <vector>

static std::pmr::unsynchronized_pool_resource global;
static double with_shared(const double *x) {
    std::pmr::vector<double> v(&global);
    std::pmr::map<int, double> m(&global);
    for (int i = 0; i < 20; ++i) v.push_back(std::sin(x[i % 3] * i));
    m[7] = v[3] * v[4];
    m[3] = v[5];
    double s = 0;
    for (auto &e : m) s += e.second * e.second;
    std::pmr::polymorphic_allocator<> al(&global);
    double *p = al.new_object<double>(x[1] * s);
    s += *p * *p;
    al.delete_object(p);
    return s;
}
AD_FUNCTIONAL(with_shared)
int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(with_shared, 3)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.2, 1.5);
    return check_done();
}
