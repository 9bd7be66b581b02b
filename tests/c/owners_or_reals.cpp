// A variant of a real and an owner, which passes move as one word: by its tag an address, or a real.
// ad-i386: none, the word of a variant may be a pointer or a real there (AD034)
#include "requests.h"
#include <memory>
#include <variant>

struct node {
    double value;
};
typedef std::variant<double, std::unique_ptr<node>> entry;
__attribute__((noinline)) static double value(entry &v) {
    return v.index() == 0 ? std::get<0>(v) * 2 : std::get<1>(v)->value * 3;
}
__attribute__((noinline)) static void move(entry &to, entry &from) { to = std::move(from); }
static double moved(const double *x) {
    entry a = x[0] * x[1], b = std::make_unique<node>(node{x[1]}), c, d;
    move(c, a), move(d, b);
    double sum = value(c) * value(d);
    entry e = std::move(c);
    return sum + value(e);
}
AD_FUNCTIONAL(moved)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(moved, 2)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
