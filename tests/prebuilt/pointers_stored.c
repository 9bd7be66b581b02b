// ad-library: pointers_stored.c
// ad-link: -lm
/* Pointers that a library stores where the program passed the place, or that come back as results, keep their shadows. What it stored in a variable may lead to what
 * is constant. */
#include "requests.h"

extern double *stored;
void store_pointer(double *p);
void store_at(double **slot, double *p);
double *pass_pointer(double *p);

static double *volatile weight;

static double at_slot(const double *x) {
    double z[2] = {x[0] * x[1], x[1]}, *slot = z + 1;
    store_at(&slot, z);
    return *slot * x[2] + z[1];
}
static double returned(const double *x) {
    double z[2] = {x[0], x[0] * x[1]};
    return *pass_pointer(z) * x[2];
}
static double constant(const double *x) {
    store_pointer(weight);
    return *stored * x[0] * x[1] * x[2];
}
AD_FUNCTIONAL(at_slot)
AD_FUNCTIONAL(returned)
AD_FUNCTIONAL(constant)

int main(void) {
    weight = malloc(sizeof *weight);
    *weight = 0.5;
    check_case cases[] = {CHECK_FUNCTIONAL(at_slot, 3), CHECK_FUNCTIONAL(returned, 3), CHECK_FUNCTIONAL(constant, 3)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 2, 0.3, 1.1);
    return check_done();
}
