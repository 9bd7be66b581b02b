// ad-open: streams, and exceptions that the file catches
// Containers: vectors of vectors, arrays; strings and streams beside the numbers.
#include "requests.h"
#include <array>
#include <sstream>
#include <vector>

static double streams(const double *x) {
    std::ostringstream out;
    double sum = 0;
    for (int i = 0; i < 3; i++) { sum += x[i] * x[i]; out << i << ' ' << sum; }
    return sum * (out.str().empty() ? 0.0 : 1.0);
}
static double nested(const double *x) {
    std::vector<std::vector<double>> a(3, std::vector<double>(3));
    for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) a[i][j] = x[i] * x[j] + (i == j);
    std::array<double, 3> y{};
    for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) y[i] += a.at(i).at(j) * x[j];
    return y[0] * y[1] + y[2];
}
AD_FUNCTIONAL(streams)
AD_FUNCTIONAL(nested)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(streams, 3), CHECK_FUNCTIONAL(nested, 3)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
