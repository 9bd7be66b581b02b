// Three levels of a wave in vectors that change places, allocated on one of two ways to the loop; the loop may end early, and says
// nothing of sizes.
#include <cmath>
#include <utility>
#include <vector>

#include "requests.h"

namespace {
constexpr int N = 9;

struct Levels {
    std::vector<double> old, now, next;
    double dt = 0.02;
};

double march(Levels &g, const double *speed, int steps) {
    int n = (int)g.now.size();
    double e = 0.0;
    for (int t = 0; t < steps; t++) {
        ad_checkpoint_loop(4);
        e = 0.0;
        for (int i = 1; i < n - 1; i++) {
            double c = speed[i], curve = g.now[i - 1] - 2.0 * g.now[i] + g.now[i + 1];
            g.next[i] = 2.0 * g.now[i] - g.old[i] + c * c * g.dt * curve - g.dt * g.now[i] * g.now[i] * g.now[i];
            double v = (g.next[i] - g.now[i]) / g.dt;
            e += 0.5 * v * v + c * curve * curve;
        }
        if (e < 1e-9) break;
        std::swap(g.old, g.now);
        std::swap(g.now, g.next);
    }
    return e;
}

double energy(const double *speed) {
    Levels g;
    g.old.resize(N);
    g.now.resize(N);
    g.next.resize(N);
    for (int i = 0; i < N; i++) g.now[i] = g.old[i] = std::sin(3.14159 * i / (N - 1));
    return march(g, speed, 30);
}

AD_FUNCTIONAL(energy)
} // namespace

int main() {
    check_case c = CHECK_FUNCTIONAL(energy, N);
    c.step = 1e-3;
    check_random_points(&c, 4, 0.8, 1.2);
    return check_done();
}
