/* A pointer into a block that is moved along by how far the new block lies from the old one.
 * ad-error: AD036 - a pointer to active memory moves by the distance between two blocks of memory */
#include "ad.h"

#include <stdlib.h>
#include <string.h>

static double moved(const double *x) {
    double *old = malloc(2 * sizeof *old), *p = old + 1, *new = malloc(4 * sizeof *new);
    memcpy(old, x, 2 * sizeof *old), memcpy(new, old, 2 * sizeof *old);
    p = (double *)((char *)p + ((char *)new - (char *)old));
    double result = p[0] * new[0];
    free(old), free(new);
    return result;
}

void gradient(const double *x, double *xb) { __ad_adjoint((void *)moved, x, xb); }
