/* A table of pointers in another file, whose size is unknown here, that leads to a variable which the function also uses by its
 * name: found at run time, AD211. Where it leads elsewhere the derivative is right.
 * ad-also: parts/levels_elsewhere.c */
#include "ending.h"
#include "requests.h"

enum { N = 2 };

extern double *levels_elsewhere[];
static double level[N];
static double outside[N];
/* So that other files know the variable. */
void use_level(void) { levels_elsewhere[0] = level, levels_elsewhere[1] = outside; }

static double first(const double *x) {
    level[0] = x[0] * x[0];
    return levels_elsewhere[0][0] * x[1];
}
static double at_index(const double *x) {
    double sum = 0.0;
    level[0] = x[0] * x[0];
    for (int i = 0; i < 2; i++) sum += levels_elsewhere[i][0] * x[1];
    return sum;
}
static double second(const double *x) {
    level[0] = x[0] * x[0];
    return levels_elsewhere[1][0] * x[1] + level[0];
}
AD_FUNCTIONAL(first)
AD_FUNCTIONAL(at_index)
AD_FUNCTIONAL(second)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(first, 2), CHECK_FUNCTIONAL(at_index, 2), CHECK_FUNCTIONAL(second, 2)};
    const double x[N] = {0.7, 0.3};
    use_level();
    for (int i = 0; i < 2; i++)
        for (int is_adjoint = 0; is_adjoint < 2; is_adjoint++) check_case_ends(cases[i].name, &cases[i], x, is_adjoint, "AD211", "'level'");
    outside[0] = 0.75;
    check_random_points(&cases[2], 3, 0.6, 1.2);
    levels_elsewhere[0] = outside;
    check_random_points(&cases[0], 3, 0.6, 1.2);
    return check_done();
}
