// Names of active structs that are put together from parts of others, in a function of their own.
// ad-error: AD039 - a part of an active floating-point value
// ad-levels: O0
#include "requests.h"
#include <string>

enum { N = 3 };

struct material {
    std::string name;
    double stiffness, ratio;
};
__attribute__((noinline)) static material mixed(const material &a, const material &b, double share) {
    material m = a;
    m.name = a.name.substr(0, 3) + "-" + b.name.substr(b.name.size() - 2) + std::to_string(a.name.size());
    if (a.name != b.name) m.stiffness = share * a.stiffness + (1 - share) * b.stiffness;
    return m;
}
static double alloyed(const double *x) {
    material a{"copper", x[0], x[1]}, b{"tin of a quality that takes many words", x[2], x[0]};
    for (int i = 0; i < 3; i++) {
        material c = mixed(a, b, x[1]);
        std::swap(a, b);
        b = std::move(c);
        if (b.name.find("cop") == 0) b.stiffness *= x[2];
    }
    return a.stiffness * b.stiffness + (double)b.name.length() * b.ratio;
}
AD_FUNCTIONAL(alloyed)

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(alloyed, N)};
    check_random_points(&c[0], 2, 0.2, 0.8);
    return check_done();
}
