// Exceptions that leave the forward sweep of split mode: they reach their handler through clean-ups, what was recorded until then is
// given back at once, and tapes around them and after them are as they should be.
// ad-i386: sse2, magnifies rounding
#include "ad.h"
#include "check.h"
#include <cmath>
#include <stdexcept>
#include <sys/resource.h>
#include <vector>

#define NOINLINE __attribute__((noinline))

struct taped {
    void *tape;
    double value;
};

static int alive = 0;
struct guard {
    guard() { alive++; }
    ~guard() { alive--; }
};

NOINLINE static double root(double t, int i, int limit) {
    if (i == limit) throw std::out_of_range("limit");
    return std::sqrt(t) * t;
}
// n values are recorded in a loop; the buffer is freed by the clean-up, and that is deferred.
static double loud(const double *x, int n, int limit) {
    std::vector<double> buffer(8, x[0]);
    double y = x[1];
    for (int i = 0; i < n; i++) {
        y = std::sin(y) * root(x[0], i, limit) + buffer[i % 8];
        buffer[i % 8] = y;
    }
    return y;
}
NOINLINE static taped forward(const double *x, double *xb, int n, int limit) {
    guard around;
    return __ad_augmented<taped>(loud, x, xb, n, limit);
}
static long resident() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main() {
    const double x[2] = {1.3, 0.4};
    double whole[2] = {}, want[2] = {}, direction[2] = {1.0, -2.0};
    __ad_adjoint<void>(loud, x, whole, 1000, -1);
    check_close("dot product", __ad_tangent<double>(loud, x, direction, 1000, -1), whole[0] - 2 * whole[1], 1e-12);
    /* To the last bit like what the same sweeps gave before. */
    taped first = forward(x, want, 1000, -1);
    __ad_reverse<void>(loud, x, want, 1000, -1, 1.0, first.tape);
    check_close("the sweeps apart", want[0], whole[0], 1e-13);
    check_close("the sweeps apart", want[1], whole[1], 1e-13);

    double outer[2] = {};
    taped kept = forward(x, outer, 1000, -1);
    int caught = 0;
    long before = 0;
    for (int round = 0; round < 400; round++) {
        double lost[2] = {}, again[2] = {};
        try {
            forward(x, lost, 20000, 19999);
        } catch (const std::out_of_range &) { caught++; }
        if (round % 100 == 0) {
            check_true("nothing was accumulated", lost[0] == 0.0 && lost[1] == 0.0);
            taped next = forward(x, again, 1000, -1);
            __ad_reverse<void>(loud, x, again, 1000, -1, 1.0, next.tape);
            check_equal_bits("a tape after it", again[0], want[0]);
            check_equal_bits("a tape after it", again[1], want[1]);
        }
        if (round == 20) before = resident();
    }
    check_true("all were caught", caught == 400);
    check_true("clean-ups ran", alive == 0);
    check_true("recordings were given back", resident() - before < 20 * 1024);
    __ad_reverse<void>(loud, x, outer, 1000, -1, 1.0, kept.tape);
    check_equal_bits("the tape before it", outer[0], want[0]);
    check_equal_bits("the tape before it", outer[1], want[1]);
    return check_done();
}
