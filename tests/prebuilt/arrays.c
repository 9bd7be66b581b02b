// library: arrays.c
// static
// link: -lm
/* Loops over arrays inside a library, as compilers vectorise them; copies, sorting, blocks of the heap, lists. */
#include "requests.h"

#include "lib/arrays.h"

enum { COUNT = 11 };
#define MAP(name)                                                                                                     \
    void loop_##name(const double *x, double *y, int n);                                                              \
    static void name(const double *x, double *y) {                                                                    \
        double from[COUNT], to[COUNT];                                                                                \
        for (int i = 0; i < COUNT; i++) from[i] = x[i], to[i] = 0;                                                    \
        loop_##name(from, to, COUNT);                                                                                 \
        for (int i = 0; i < COUNT; i++) y[i] = to[i];                                                                 \
    }                                                                                                                 \
    AD_MAP(name)
ARRAYS(MAP)

static void check(check_case c, double rounding) {
    c.step = rounding > 0 ? 0.02 : 1e-3, c.tol_diff = rounding > 0 ? rounding : 1e-7;
    if (rounding > 0) c.tol_dot = 1e-6;
    check_random_points(&c, 1, 0.3, 0.9);
}

int main(void) {
#define RUN(name) check((check_case)CHECK_MAP(name, COUNT, COUNT), 0);
    ARRAYS(RUN)
    return check_done();
}
