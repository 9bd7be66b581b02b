// ad-levels: O0 O1 O2
// ad-i386: none, resources are refused there (AD022)
// Memory resources: buffers and pools that differentiated code makes, in a chain with one of the program that counts, and in
// recursion.
#include "requests.h"

#include <cstddef>
#include <list>
#include <map>
#include <memory_resource>
#include <unordered_map>
#include <vector>

static double with_default(const double *x) {
    std::pmr::vector<double> v(x, x + 3);
    v.push_back(x[0] * x[1]);
    double s = 0;
    for (double e : v) s += e * e;
    return s;
}
AD_FUNCTIONAL(with_default)
static double with_buffer(const double *x) {
    char buffer[2048];
    std::pmr::monotonic_buffer_resource r(buffer, sizeof buffer);
    std::pmr::vector<double> v(&r);
    for (int i = 0; i < 20; ++i) v.push_back(x[i % 3] * i);
    double s = 0;
    for (double e : v) s += e * e;
    return s;
}
AD_FUNCTIONAL(with_buffer)
static double with_pool(const double *x) {
    std::pmr::unsynchronized_pool_resource pool;
    std::pmr::map<int, double> m(&pool);
    std::pmr::list<double> l(&pool);
    for (int i = 0; i < 20; ++i) m[i % 7] += x[i % 3] * i, l.push_back(m[i % 7] * x[0]);
    double s = 0;
    for (auto &e : m) s += e.second * e.second * e.first;
    for (double d : l) s += d * d;
    return s;
}
AD_FUNCTIONAL(with_pool)
struct Counting : std::pmr::memory_resource {
    std::pmr::memory_resource *up;
    std::size_t bytes = 0, calls = 0;
    explicit Counting(std::pmr::memory_resource *u) : up(u) {}
    void *do_allocate(std::size_t n, std::size_t a) override { bytes += n; ++calls; return up->allocate(n, a); }
    void do_deallocate(void *p, std::size_t n, std::size_t a) override { bytes -= n; up->deallocate(p, n, a); }
    bool do_is_equal(const memory_resource &o) const noexcept override { return this == &o; }
};
static double with_chain(const double *x) {
    std::pmr::monotonic_buffer_resource m;
    Counting c(&m);
    std::pmr::unsynchronized_pool_resource pool(&c);
    std::pmr::unordered_map<int, std::pmr::vector<double>> t(&pool);
    for (int i = 0; i < 12; ++i) t[i % 4].push_back(x[i % 3] * (i + 1));
    double s = 0;
    for (int i = 0; i < 4; ++i) for (double v : t[i]) s += v * v / (i + 1);
    return s;
}
AD_FUNCTIONAL(with_chain)
static double inner(std::pmr::memory_resource *r, const double *x, int d) {
    std::pmr::monotonic_buffer_resource local(256, r);
    std::pmr::vector<double> v(x, x + 3, d % 2 ? static_cast<std::pmr::memory_resource *>(&local) : r);
    for (double &e : v) e = e * x[0] + d;
    if (d == 0) return v[0] * v[1] + v[2];
    return inner(&local, v.data(), d - 1) * 0.1 + v[1];
}
static double with_outer(const double *x) { return inner(std::pmr::get_default_resource(), x, 3); }
AD_FUNCTIONAL(with_outer)
int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(with_default, 3), CHECK_FUNCTIONAL(with_buffer, 3), CHECK_FUNCTIONAL(with_pool, 3), CHECK_FUNCTIONAL(with_chain, 3), CHECK_FUNCTIONAL(with_outer, 3)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.2, 1.5);
    return check_done();
}
