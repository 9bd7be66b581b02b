// ad-library: openmp.c
// ad-link: -lgomp -lm
// ad-needs: libgomp.so
// ad-environment: OMP_NUM_THREADS=2
/* Where the `if` of a directive says that one thread is enough, others may be there. */
#include "openmp.h"

int main(void) {
    check_case c = CHECK_FUNCTIONAL(small, 4);
    check_random_points(&c, 2, 0.3, 0.9);
    return check_done();
}
