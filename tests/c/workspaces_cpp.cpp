// Containers in static variables, filled before the request and in it.
// ad-sanitizers: address
#include "requests.h"
#include <map>
#include <memory>
#include <vector>

enum { N = 4 };

static std::vector<double> buffer;
static std::vector<std::vector<double>> rows;
static std::unique_ptr<double[]> scratch;

static double by_vector(const double *x) {
    buffer.resize(N);
    for (int i = 0; i < N; i++) buffer[i] = x[i] * x[i];
    double sum = 0.0;
    for (double v : buffer) sum += v * x[0];
    return sum;
}
static double by_rows(const double *x) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) rows[i][j] = x[i] * x[j] * (i + 1);
    double sum = 0.0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += rows[i][j] * rows[j][i];
    return sum;
}
static double by_owner(const double *x) {
    static int calls;
    calls++;
    if (!scratch) scratch.reset(new double[N]);
    for (int i = 0; i < N; i++) scratch[i] = x[i] * (i + 1);
    double product = 1.0;
    for (int i = 0; i < N; i++) product *= scratch[i];
    return product;
}
AD_FUNCTIONAL(by_vector)
AD_FUNCTIONAL(by_rows)
AD_FUNCTIONAL(by_owner)

int main() {
    check_case first = CHECK_FUNCTIONAL(by_vector, N), second = CHECK_FUNCTIONAL(by_rows, N), third = CHECK_FUNCTIONAL(by_owner, N);
    check_random_points(&first, 3, 0.3, 1.2);
    rows.assign(N, std::vector<double>(N));
    check_random_points(&second, 3, 0.3, 1.2);
    check_random_points(&third, 3, 0.3, 1.2);
    return check_done();
}
