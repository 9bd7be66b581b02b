/* Integer arithmetic on the bits of active reals that only decides: branches on the exponent, choices by the upper word of an
 * argument in memory, an index into a table. Nothing differentiable depends on the bits. */
#include "requests.h"

enum { N = 4 };

static unsigned upper(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (unsigned)(bits >> 32);
}

/* By the magnitude, as libraries of functions do. */
static double by_exponent(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        unsigned magnitude = upper(x[i] - 0.8) & 0x7fffffff;
        if (magnitude < 0x3fc00000) sum += x[i] * x[0]; /* |x - 0.8| < 1/8 */
        else if (upper(x[i] - 0.8) >> 31) sum -= sin(x[i]);
        else sum += x[i] * x[i] * x[i];
    }
    return sum;
}
AD_FUNCTIONAL(by_exponent)

/* In memory, behind a call: the product changes the memory, the exponent chooses from a table. */
__attribute__((noinline)) static double chosen(double *y, double by) {
    static const double table[4] = {0.5, 1.5, 2.5, 3.5};
    *y *= by;
    uint64_t bits;
    memcpy(&bits, y, sizeof bits);
    return table[(bits >> 52) & 3] * *y;
}
static double by_index(const double *x) {
    double y[N], sum = 0.0;
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int i = 0; i < N; i++) sum += chosen(&y[i], x[(i + 1) % N]) * y[i];
    return sum;
}
AD_FUNCTIONAL(by_index)

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(by_exponent, N), CHECK_FUNCTIONAL(by_index, N)};
    /* Away from the jumps: x - 0.8 keeps its class, products their exponents. */
    const double x[2][N] = {{0.75, 0.4, 1.3, 0.86}, {0.74, 0.85, 0.91, 0.83}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) c[i].step = 1e-3, check_at(&c[i], x[k]);
    return check_done();
}
