// ad-library: packed_bytes.c
// ad-i386: none
/* Records that a library packs byte by byte: reals at any address, and bytes stored right beside them. */
#include "requests.h"

#define KINDS(X) X(around, 3, 4) X(floats, 4, 1) X(many, 380, 4) X(reversed, 1, 1)
#define REQUEST(name, factor, ways)                                                                                    \
    double packed_##name(double x, int at, int how);                                                                   \
    static double name(double x, int at, int how) { return packed_##name(x, at, how); }
KINDS(REQUEST)

static int failed, passed;
static void check(const char *name, int at, int how, const char *mode, double got, double want, double tolerance) {
    if (fabs(got - want) <= tolerance * fabs(want)) {
        passed++;
        return;
    }
    failed++;
    printf("FAIL %s at %d, way %d, %s: got %.12g, want %.12g\n", name, at, how, mode, got, want);
}

int main(void) {
#define RUN(name, factor, ways)                                                                                        \
    for (int at = 0; at < 8; at++)                                                                                     \
        for (int how = 0; how < ways; how++) {                                                                         \
            double by = 1.71028548 + at, small = #name[0] == 'f' ? 1e-6 : 1e-14;                                       \
            check(#name, at, how, "tangent", __ad_tangent((void *)name, 0.7, by, at, how), factor * by, small);        \
            check(#name, at, how, "tangent one", __ad_tangent((void *)name, 0.7, 1.0, at, how), factor, small);        \
            check(#name, at, how, "adjoint", __ad_adjoint((void *)name, 0.7, at, how), factor, 1e-14);                 \
        }
    KINDS(RUN)
    printf("checks: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
