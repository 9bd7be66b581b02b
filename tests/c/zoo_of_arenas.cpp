// ad-levels: O0 O1 O2
// ad-i386: none, resources are refused there (AD022)
// A memory resource of the program: an arena, whose memory is a vector of bytes.
#include "requests.h"

#include <cstddef>
#include <deque>
#include <memory_resource>
#include <vector>

struct Arena : std::pmr::memory_resource {
    std::vector<std::byte> store;
    std::size_t at = 0;
    explicit Arena(std::size_t n) : store(n) {}
    void *do_allocate(std::size_t n, std::size_t a) override {
        at = (at + a - 1) / a * a;
        void *p = store.data() + at;
        at += n;
        return p;
    }
    void do_deallocate(void *, std::size_t, std::size_t) override {}
    bool do_is_equal(const memory_resource &o) const noexcept override { return this == &o; }
};
static double with_arena(const double *x) {
    Arena a(4096);
    std::pmr::vector<double> v(&a);
    std::pmr::deque<double> q(&a);
    for (int i = 0; i < 30; ++i) v.push_back(x[i % 3] + 0.1 * i), q.push_front(v.back() * x[0]);
    double s = 0;
    for (std::size_t i = 0; i < v.size(); ++i) s += v[i] * q[i];
    return s;
}
AD_FUNCTIONAL(with_arena)
int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(with_arena, 3)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.2, 1.5);
    return check_done();
}
