/* The same numbers at -Os and -Oz: a loop that is neither unrolled nor vectorised, calls that are not inlined.
 * ad-levels: Os Oz */
#include "requests.h"

enum { N = 16 };

static double weight(double x) { return 1.0 / (1.0 + exp(-x)); }
static double network(const double *x) {
    double hidden[4], sum = 0.0;
    for (int i = 0; i < 4; i++) {
        double t = 0.0;
        for (int j = 0; j < 3; j++) t += x[i * 4 + j] * x[(i * 4 + j + 5) % N];
        hidden[i] = weight(t + x[i * 4 + 3]);
    }
    for (int i = 0; i < 4; i++) sum += hidden[i] * hidden[(i + 1) % 4];
    return log(sum);
}
AD_FUNCTIONAL(network)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(network, N);
    check_random_points(&c, 4, -1.0, 1.0);
    return check_done();
}
