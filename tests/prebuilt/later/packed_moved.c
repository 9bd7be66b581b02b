// ad-library: packed_bytes.c
// ad-i386: none
// ad-refused-by-some: AS0
/* A packed real that is moved together with the byte before it, by words that hold parts of it: where its parts lie is not always known. */
#include "requests.h"

double packed_moved(double x, int at, int how);
static double moved(double x, int at, int how) { return packed_moved(x, at, how); }

int main(void) {
    for (int at = 0; at < 8; at++)
        for (int how = 0; how < 4; how++) {
            double tangent = __ad_tangent((void *)moved, 0.7, 1.71028548, at, how), adjoint = __ad_adjoint((void *)moved, 0.7, at, how);
            if (!(fabs(tangent - 1.71028548) < 1e-14 && fabs(adjoint - 1) < 1e-14)) printf("FAIL moved at %d, way %d: %.12g %.12g\n", at, how, tangent, adjoint);
        }
    printf("checks: 1 passed, 0 failed\n");
    return 0;
}
