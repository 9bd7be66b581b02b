// library: flow.c
// link: -lm
// ends: AS004
/* Bits of numbers in general registers. By compiler: the sign changed by a sum (`lea`) in union_views; the lower half of a double made zero by an integer operation in
 * truncated_low, which could be a float's selection; in mixed_struct gcc -O0 masks what an active double left in rax. */
#include "requests.h"

#include "../lib/flow.h"

enum { COUNT = 8 };
#define MAP(name)                                                                                                     \
    void flow_##name(const double *x, double *y);                                                                     \
    static void name(const double *x, double *y) {                                                                    \
        double from[COUNT], to[COUNT];                                                                                \
        for (int i = 0; i < COUNT; i++) from[i] = x[i], to[i] = 0;                                                    \
        flow_##name(from, to);                                                                                        \
        for (int i = 0; i < COUNT; i++) y[i] = to[i];                                                                 \
    }                                                                                                                 \
    AD_MAP(name)
FLOW_OF_BITS(MAP)

int main(void) {
#define CASE(name) CHECK_MAP(name, COUNT, COUNT),
    check_case cases[] = {FLOW_OF_BITS(CASE)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cases[k].step = 1e-3, cases[k].tol_diff = 1e-7;
        check_random_points(&cases[k], 2, 0.3, 0.9);
    }
    return check_done();
}
