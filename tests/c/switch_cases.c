/* switch: with fallthrough, default in the middle, sparse and negative labels, a nested switch in a loop, and a result
 * that several cases share. */
// ad-switches: control flow
#include "requests.h"

enum { N = 4 };

static int selector; /* set before each case; not active */

static double fallthrough(const double *x) {
    double t = x[0];
    switch (selector) {
    case 0: t = t * x[1]; /* fall through */
    case 1: t = t + x[2] * x[2]; /* fall through */
    case 2: t = t * t; break;
    default: t = sin(t) * x[3]; /* fall through */
    case 7: t = t * x[1]; break;
    case -3: return t * x[2];
    case 1000000: t = exp(-t);
    }
    return t * x[0];
}
static double state_machine(const double *x) {
    double t = 1.0;
    int state = selector & 3;
    for (int i = 0; i < 7; i++) {
        switch (state) {
        case 0: t = t * x[0]; state = 2; break;
        case 1: t = t + x[1]; state = 3; continue;
        case 2:
            switch (i % 3) {
            case 0: t *= x[2]; break;
            case 1: t -= x[3]; break;
            }
            state = 1;
            break;
        case 3: t = sin(t * x[3]); state = 0; break;
        }
        t += 0.1 * x[i % N];
    }
    return t;
}
AD_FUNCTIONAL(fallthrough)
AD_FUNCTIONAL(state_machine)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(fallthrough, N), CHECK_FUNCTIONAL(state_machine, N)};
    const int selectors[] = {0, 1, 2, 3, 7, -3, 1000000, 55};
    for (int k = 0; k < 8; k++) {
        selector = selectors[k];
        for (int i = 0; i < 2; i++) check_random_points(&cases[i], 2, 0.3, 1.2);
    }
    selector = 0;
    double x[N] = {2.0, 3.0, 5.0, 7.0}, xb[N] = {0}; /* (x0 x1 + x2^2)^2 x0 */
    __ad_adjoint_void((void *)fallthrough, x, xb);
    check_close("closed form [0]", xb[0], 2.0 * 31.0 * 3.0 * 2.0 + 31.0 * 31.0, 1e-15);
    check_close("closed form [1]", xb[1], 2.0 * 31.0 * 2.0 * 2.0, 1e-15);
    check_close("closed form [2]", xb[2], 2.0 * 31.0 * 10.0 * 2.0, 1e-15);
    check_equal_bits("closed form [3]", xb[3], 0.0);
    return check_done();
}
