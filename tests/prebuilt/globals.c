// ad-library: keeping.c
// ad-static: yes
// ad-link: -lm
/* Variables of the program, one of which a library is given as a constant, while a function that it calls back names them all. */
#include "requests.h"

double keep_sum(double (*f)(double), const int *n, double x);

static int count;
static double width, table[3];
static double wave(double t) { return sin(width * t) * table[1] + count * t; }
static double value(const double *x) {
    count = 4;
    width = x[0], table[1] = x[1] * x[0];
    return keep_sum(wave, &count, x[2]);
}
AD_FUNCTIONAL(value)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(value, 3);
    check_random_points(&c, 2, 0.3, 1.2);
    return check_done();
}
