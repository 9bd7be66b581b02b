/* Pointers that a region assigns, or that may lead to a variable which the steps change: a member of an array of pointers that gets the address of a global variable,
 * and a pointer to one of two variables beside the variable itself. */
#include "requests.h"

static double table[2];

static double assigned(const double *x) {
    double own[2] = {3.0, 4.0}, *at[2];
    int last = x[0] < 100.0;
    at[0] = own;
    ad_checkpoint_begin();
    at[1] = table;
    ad_checkpoint_end();
    at[1][0] = x[0] * x[1];
    return at[last][0] * x[1];
}
AD_FUNCTIONAL(assigned)

static void chosen(const double *x, double *y) {
    double own = x[0] * x[1], *one = &own, *other = y;
    int n = x[0] < 100.0 ? 2 : 0;
    y[0] = x[1];
    for (int i = 0; i < n; i++) other = &own;
    for (int i = 0; i < 3; i++) {
        ad_checkpoint_loop(1);
        one[0] = one[0] * x[0] + 0.5;
        y[0] = other[0] * x[1];
    }
}
AD_MAP(chosen)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(assigned, 2), CHECK_MAP(chosen, 2, 1)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_random_points(&cases[i], 2, 0.5, 1.5);
    return check_done();
}
