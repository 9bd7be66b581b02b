// Pointers that calls hand over, or moves take along, as integers: what a lambda has captured, structs of one pointer, owners.
// ad-i386: none, structs of one pointer are memory there (AD033 at -O0)
#include "requests.h"
#include <algorithm>
#include <memory>
#include <vector>

// Indices are sorted by what a lambda finds behind its pointer.
static double argsort(const double *x) {
    int index[4] = {0, 1, 2, 3};
    std::stable_sort(index, index + 4, [x](int a, int b) { return x[a] < x[b]; });
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += (i + 1) * x[index[i]] * x[index[i]];
    return sum;
}
// The seventh argument lies on the stack.
struct view { const double *p; };
__attribute__((noinline)) static double at(int a, int b, int c, int d, int e, int f, view v) { return v.p[a + b + c] * v.p[d + e + f]; }
static double seventh(const double *x) { return at(1, 0, 0, 1, 1, 0, view{x}) + at(0, 0, 0, 1, 0, 0, view{x}); }
// A virtual function makes the successor of its object, which an owner in its caller's struct keeps.
struct act;
struct simulation { double now = 0; std::unique_ptr<act> next; };
struct act { virtual ~act() = default; virtual void go(simulation &) = 0; };
struct source : act {
    double *size;
    int left;
    source(double *s, int n) : size(s), left(n) {}
    void go(simulation &s) override {
        s.now += *size * left;
        if (left > 0) s.next = std::make_unique<source>(size, left - 1);
    }
};
static double successors(const double *x) {
    simulation s;
    double size = x[0] * x[1];
    s.next = std::make_unique<source>(&size, 2);
    for (int i = 0; i < 3; i++) {
        auto current = std::move(s.next);
        current->go(s);
    }
    return s.now * x[2];
}
// Objects of erased type that are inserted between others.
struct base { virtual ~base() = default; virtual double value(double) const = 0; virtual std::unique_ptr<base> clone() const = 0; };
struct scaled : base {
    double k;
    explicit scaled(double k) : k(k) {}
    double value(double m) const override { return k * m; }
    std::unique_ptr<base> clone() const override { return std::make_unique<scaled>(*this); }
};
class any_value {
    std::unique_ptr<base> p;
public:
    any_value(std::unique_ptr<base> q) : p(std::move(q)) {}
    any_value(const any_value &o) : p(o.p->clone()) {}
    any_value(any_value &&) noexcept = default;
    any_value &operator=(any_value o) noexcept { p.swap(o.p); return *this; }
    double value(double m) const { return p->value(m); }
};
static double inserted(const double *x) {
    std::vector<any_value> all;
    for (int i = 0; i < 3; i++) all.push_back(any_value(std::make_unique<scaled>(x[i] * (i + 1))));
    all.insert(all.begin() + 1, any_value(std::make_unique<scaled>(x[1] * x[2])));
    double sum = 0;
    for (auto &a : all) sum += a.value(x[2]) * a.value(x[0]);
    return sum;
}
AD_FUNCTIONAL(argsort)
AD_FUNCTIONAL(seventh)
AD_FUNCTIONAL(successors)
AD_FUNCTIONAL(inserted)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(argsort, 4),  CHECK_FUNCTIONAL(seventh, 4),   CHECK_FUNCTIONAL(successors, 3),
                          CHECK_FUNCTIONAL(inserted, 3)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
