// ad-library: flow.c
// ad-link: -lm
// ad-refused-by-some: AS012
// ad-i386: AS004
/* The lower half of a double made zero by an integer operation. In tangents it cannot be distinguished from the selection of one float out of two, which compilers make in the same way for
 * pairs in general registers: 64 bits that are a double with dot D are as well two floats whose dots are the halves of D. As a double the derivative is D (or zero, with the rest's
 * derivative D), as floats it is the upper half of D; the lower half of D is no zero in either. In recordings the formats of indices tell them apart.
 * In union_views clang -O0 changes the sign by a sum in one byte, taken alone: of a byte nobody can say whether it is the one with the sign or has digits. */
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
