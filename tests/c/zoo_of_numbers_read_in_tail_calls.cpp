// Functions that end with a call of a stream which reads a number to where the caller says: in their copies
// the number goes through a variable, so the call is no tail call any more.
#include "requests.h"
#include <sstream>

namespace {
__attribute__((noinline)) double weighted(std::istream &in, int *n, double x) {
    in >> *n;
    return *n * x;
}
__attribute__((noinline)) double whole(std::istream &in, double *scale, double x) {
    in >> *scale;
    return x * x;
}
double integers(const double *x) {
    std::istringstream in("37 -4");
    int n = 5;
    const double first = weighted(in, &n, x[0]), second = weighted(in, &n, x[1]);
    return first * second + n * x[0];
}
double reals(const double *x) {
    std::istringstream in("0.25 8");
    double scale = 3;
    const double first = whole(in, &scale, x[0]) * scale;
    return first + whole(in, &scale, x[0] * x[1]) * scale;
}
AD_FUNCTIONAL(integers)
AD_FUNCTIONAL(reals)
} // namespace

int main() {
    check_case all[] = {CHECK_FUNCTIONAL(integers, 2), CHECK_FUNCTIONAL(reals, 2)};
    for (auto &c : all) check_random_points(&c, 2, 0.2, 0.6);
    return check_done();
}
