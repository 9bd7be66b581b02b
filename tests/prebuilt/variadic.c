// ad-library: variadic.c
// ad-static: yes
// ad-link: -lm
/* Functions of a library with a variable number of arguments: reals in registers and on the stack, integers, pointers, functions. */
#include "requests.h"

double variadic_sum(int n, ...);
double variadic_mixed(double first, const char *letters, ...);
void variadic_fill(double *to, int n, ...);

static double sums(const double *x) {
    return variadic_sum(3, x[0], x[1] * x[2], x[2]) * variadic_sum(2, x[1], 3.0) + variadic_sum(1, 2.0) * x[0] + variadic_sum(0);
}
AD_FUNCTIONAL(sums)
/* More than registers hold. */
static double many(const double *x) {
    return variadic_sum(12, x[0], x[1], x[2], x[0] * x[1], 1.0, x[1], x[2] * x[2], x[0], x[1], x[2] * x[0], 7.0, x[1] * x[1]);
}
AD_FUNCTIONAL(many)
static double square(double v) { return v * v + sin(v); }
static double mixed(const double *x) {
    double v = x[0] * x[2];
    double a = variadic_mixed(x[0], "didpx", x[1], 3, x[2], &v, (long double)(x[0] + 1));
    double b = variadic_mixed(2, "ddfidf", x[1], x[1] * x[2], square, 4, x[0], square);
    float narrow = 1.5f;
    return a * b + variadic_mixed(x[2], "d", narrow) + variadic_mixed(x[1], "");
}
AD_FUNCTIONAL(mixed)
static double filled(const double *x) {
    double v[4];
    variadic_fill(v, 4, x[0], x[1], x[2], x[0] * x[1]);
    return v[0] * v[3] + v[1] * v[2];
}
AD_FUNCTIONAL(filled)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(sums, 3), CHECK_FUNCTIONAL(many, 3), CHECK_FUNCTIONAL(mixed, 3), CHECK_FUNCTIONAL(filled, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 1.2);
    return check_done();
}
