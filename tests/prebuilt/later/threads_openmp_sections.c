// ad-library: openmp.c
// ad-link: -lgomp -lm
// ad-needs: libgomp.so
// ad-environment: OMP_NUM_THREADS=2
// ad-refused-by-some: AS006
/* OpenMP's other threads wait for work since the function itself was called. */
#include "../openmp.h"

int main(void) {
    check_case c = CHECK_FUNCTIONAL(sections, 2);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
