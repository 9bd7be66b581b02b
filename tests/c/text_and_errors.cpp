// Text beside active data: strings put together, streams, and exceptions of the standard library, thrown with a text that is
// made up, by a class derived from one of them, and caught.
#include "requests.h"
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>

enum { N = 3 };

static std::ostringstream progress;
static double logged(const double *x) {
    double sum = 0.0;
    const std::string name = "iteration ";
    for (int i = 0; i < N; i++) {
        sum += x[i] * x[i] * x[0];
        progress.str("");
        progress << name + std::to_string(i) << std::setprecision(3) << ": " << sum << std::endl;
        std::string line = name + std::to_string((int)x[i]);
        line += '.';
        sum += x[i] * (double)line.append(" and on").size();
    }
    return sum;
}
AD_FUNCTIONAL(logged)

struct not_converged : std::runtime_error {
    int steps;
    explicit not_converged(int n) : std::runtime_error("no convergence after " + std::to_string(n)), steps(n) {}
};
static double root(double a, int most) {
    double z = 1.0;
    for (int i = 0; i < most; i++) {
        double step = (z * z - a) / (2 * z);
        z -= step;
        if (std::fabs(step) < 1e-12) return z;
    }
    throw not_converged(most);
}
__attribute__((noinline)) static void check_index(int i) {
    if (i >= N) throw std::out_of_range("index " + std::to_string(i));
}
static double guarded(const double *x) {
    double sum = 0.0;
    for (int i = 0; i <= N; i++) {
        try {
            check_index(i);
            sum += root(x[i], 40) * x[0];
        } catch (const std::out_of_range &) {
            sum *= x[1];
        }
    }
    return sum;
}
AD_FUNCTIONAL(guarded)

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(logged, N), CHECK_FUNCTIONAL(guarded, N)};
    for (int i = 0; i < 2; i++) check_random_points(&c[i], 2, 0.3, 0.9);
    return check_done();
}
