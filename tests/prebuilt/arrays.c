// ad-library: arrays.c
// ad-static: yes
// ad-link: -lm
/* Loops over arrays inside a library, as compilers vectorise them; copies, sorting, blocks of the heap, lists. */
#include "maps.h"

#include "lib/arrays.h"

#define REAL double
#define FUNCTION(name) name
#define REALS(name) static void in_double_##name(const double *restrict x, double *restrict y, int n)
#include "lib/floats.h"

enum { COUNT = 11 };
#define MAP(name)                                                                                                     \
    void loop_##name(const double *x, double *y, int n);                                                              \
    LIBRARY_MAP(name, COUNT, loop_##name(from, to, COUNT))
ARRAYS(MAP)
FLOATS(MAP)

#define SMOOTH(name)                                                                                                  \
    static void smooth_##name(const double *x, double *y) {                                                           \
        for (int i = 0; i < COUNT; i++) y[i] = 0;                                                                     \
        in_double_##name(x, y, COUNT);                                                                                \
    }
FLOATS(SMOOTH)

/* Float: 24 bits, in library loops whose differences are those of the double version. */
static void check_narrow(check_case c, check_map smooth) {
    c.smooth = smooth, c.step = 1e-3, c.tol_diff = 2e-4, c.tol_dot = 1e-6;
    check_random_points(&c, 1, 0.3, 0.9);
}

int main(void) {
#define CASE(name) CHECK_MAP(name, COUNT, COUNT),
    check_case cases[] = {ARRAYS(CASE)};
    check_maps(cases, sizeof cases / sizeof *cases);
#define RUN_FLOAT(name) check_narrow((check_case)CHECK_MAP(name, COUNT, COUNT), smooth_##name);
    FLOATS(RUN_FLOAT)
    return check_done();
}
