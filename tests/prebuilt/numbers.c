// ad-library: numbers.c
// ad-static: yes
// ad-link: -lm
// ad-i386: AS004
/* Numbers taken apart by their bits, inside a library. Results jump; between jumps they have the derivatives of what is computed. */
#include "requests.h"

#include "lib/numbers.h"

enum { COUNT = 8 };
#define MAP(name)                                                                                                     \
    void number_##name(const double *x, double *y);                                                                   \
    static void name(const double *x, double *y) {                                                                    \
        double from[COUNT], to[COUNT];                                                                                \
        for (int i = 0; i < COUNT; i++) from[i] = x[i], to[i] = 0;                                                    \
        number_##name(from, to);                                                                                      \
        for (int i = 0; i < COUNT; i++) y[i] = to[i];                                                                 \
    }                                                                                                                 \
    AD_MAP(name)
NUMBERS(MAP)

/* The same as the two of floats in double: differences of floats are too coarse. */
static void fraction_of_square(const double *x, double *y) {
    for (int i = 0; i < COUNT; i++) {
        int e;
        y[i] = frexp(x[i] * x[i], &e);
    }
}
static void scaled_product(const double *x, double *y) {
    for (int i = 0; i < COUNT; i++) y[i] = ldexp(x[i] * x[7 - i], i - 3);
}
static int is(const check_case *c, const char *name) { return strcmp(c->name, name) == 0; }

int main(void) {
#define CASE(name) CHECK_MAP(name, COUNT, COUNT),
    check_case cases[] = {NUMBERS(CASE)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        cases[k].step = 1e-4, cases[k].tol_diff = 1e-6;
        /* Float: 24 bits; the differences are those of the double version. */
        if (is(&cases[k], "fraction_float")) cases[k].smooth = fraction_of_square, cases[k].tol_diff = 2e-4, cases[k].tol_dot = 1e-6;
        if (is(&cases[k], "scaled_float")) cases[k].smooth = scaled_product, cases[k].tol_diff = 2e-4, cases[k].tol_dot = 1e-6;
        check_random_points(&cases[k], 2, 0.3, 0.9);
    }
    return check_done();
}
