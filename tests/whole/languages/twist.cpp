#include <array>
#include <numeric>
extern "C" double twist(double x) {
    std::array<double, 3> powers{x, x * x, x * x * x};
    return std::accumulate(powers.begin(), powers.end(), 1.0);
}
