// library: fortran.f90
// link: -lm
// ends: AS004
/* maxval and minval by flang -O2: `cmpordsd` makes a mask of the lowest lane, and above it another number's bits are one, where nobody looks (andnpd).
 * The lanes above the lowest should become unknown; the random sequences of the crate's tests would have to know of it. */
#include "../maps.h"

enum { COUNT = 8 };
#define MAP(name)                                                                                                     \
    void f_##name##_(const double *x, double *y, const int *n);                                                       \
    LIBRARY_MAP(in_##name, COUNT, int n = COUNT; f_##name##_(from, to, &n))
MAP(matrices)

int main(void) {
    check_case cases[] = {CHECK_MAP(in_matrices, COUNT, COUNT)};
    check_maps(cases, sizeof cases / sizeof *cases);
    return check_done();
}
