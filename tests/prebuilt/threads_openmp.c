// ad-library: openmp.c
// ad-link: -lgomp -lm
// ad-needs: libgomp.so
// ad-environment: OMP_NUM_THREADS=1
/* A library with OpenMP's directives, in one thread: its functions are code as any other. */
#include "openmp.h"

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(sum, 4), CHECK_FUNCTIONAL(small, 4), CHECK_FUNCTIONAL(sections, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 0.9);
    return check_done();
}
