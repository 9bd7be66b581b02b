/* std::vector that grows by push_back: it allocates anew, copies, frees, and could throw on the way. */
// ad-sanitizers: address
#include "requests.h"
#include <vector>

enum { N = 4 };

static double growing(const double *x) {
    std::vector<double> v;
    for (int i = 0; i < N; i++) {
        v.push_back(x[i] * x[i]);
        if (i % 2) v.push_back(v.back() * x[0]);
    }
    double product = 1.0;
    for (double t : v) product = product * 0.5 + t * t;
    return product;
}
AD_FUNCTIONAL(growing)

int main() {
    check_case c = CHECK_FUNCTIONAL(growing, N);
    check_random_points(&c, 3, 0.3, 1.2);
    return check_done();
}
