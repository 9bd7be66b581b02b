// ad-library: bytes.c
// ad-link: -lm
// ad-i386: none
/* Integers of one or two bytes beside those of a real, as compilers for new processors lay them out. */
#include "requests.h"

double lib_byte_moved(double x, double y);
double lib_byte_set(double x, double y);
double lib_word_behind(double x, double y);
static double moved(const double *x) { return lib_byte_moved(x[0], x[1]) * x[0] + lib_byte_moved(x[1], x[0]); }
AD_FUNCTIONAL(moved)
static double set(const double *x) { return lib_byte_set(x[0], x[1]) * x[0] + lib_byte_set(x[1], x[0]); }
AD_FUNCTIONAL(set)
static double behind(const double *x) { return lib_word_behind(x[0], x[1]) * x[0]; }
AD_FUNCTIONAL(behind)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(moved, 2), CHECK_FUNCTIONAL(set, 2), CHECK_FUNCTIONAL(behind, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double apart[2] = {0.4, 0.9}, other[2] = {1.2, 0.3};
        check_at(&cases[k], apart);
        check_at(&cases[k], other);
    }
    return check_done();
}
