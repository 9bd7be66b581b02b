// library: flow.c
// link: -lm
// ends: AS004
/* Bits of numbers in general registers. By compiler: the sign changed by a sum (`lea`) in union_views; the lower half of a double made zero by an integer operation in
 * truncated_low, which could be a float's selection; in mixed_struct gcc -O0 masks what an active double left in rax. */
#include "../maps.h"

#include "../lib/flow.h"

enum { COUNT = 8 };
#define MAP(name)                                                                                                     \
    void flow_##name(const double *x, double *y);                                                                     \
    LIBRARY_MAP(name, COUNT, flow_##name(from, to))
FLOW_OF_BITS(MAP)

int main(void) {
#define CASE(name) CHECK_MAP(name, COUNT, COUNT),
    check_case cases[] = {FLOW_OF_BITS(CASE)};
    check_maps(cases, sizeof cases / sizeof *cases);
    return check_done();
}
