// Algorithms of the standard library that order active data: sort of short and long arrays, with an order of one's own,
// heaps, partial orders.
#include "requests.h"

#include <algorithm>

namespace {
enum { N = 20 };

// Far apart, so that differences do not change the order.
double apart(const double *x, int i) { return 0.3 * x[i] + (i * 7 % N); }

double sorted(const double *x) {
    double v[N];
    for (int i = 0; i < N; i++) v[i] = apart(x, i) * (1.0 + 0.001 * x[(i + 1) % N]);
    std::sort(v, v + N);
    double y = 0.0;
    for (int i = 0; i < N; i++) y += v[i] * v[i] * (i + 1);
    std::sort(v, v + 5, [](double a, double b) { return a > b; });
    return y * 0.001 + v[0] * v[1];
}

double selected(const double *x) {
    double v[N];
    for (int i = 0; i < N; i++) v[i] = apart(x, i);
    std::nth_element(v, v + 7, v + N);
    double y = v[7] * v[7];
    std::make_heap(v, v + N);
    std::pop_heap(v, v + N);
    y += v[N - 1] * v[0];
    return y + *std::max_element(v, v + N - 1) * *std::min_element(v, v + N);
}

AD_FUNCTIONAL(sorted)
AD_FUNCTIONAL(selected)
} // namespace

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(sorted, N), CHECK_FUNCTIONAL(selected, N)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 0.95);
    return check_done();
}
