// ad-library: flow.c
// ad-static: yes
// ad-link: -lm
/* Control, state, structs by value and bits of numbers inside a library. */
#include "maps.h"

#include "lib/flow.h"

enum { COUNT = 8 };
#define MAP(name)                                                                                                     \
    void flow_##name(const double *x, double *y);                                                                     \
    LIBRARY_MAP(name, COUNT, flow_##name(from, to))
FLOW(MAP)

int main(void) {
#define CASE(name) CHECK_MAP(name, COUNT, COUNT),
    check_case cases[] = {FLOW(CASE)};
    check_maps(cases, sizeof cases / sizeof *cases);
    return check_done();
}
