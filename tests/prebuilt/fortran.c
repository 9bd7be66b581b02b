// ad-library: fortran.f90
// ad-link: -lm
/* A library in Fortran, called by reference: kinds of arrays, sections with steps, common blocks, complex numbers. */
#include "maps.h"

#define FORTRAN(X)                                                                                                     \
    X(explicit) X(assumed_size) X(sections) X(descriptors) X(in_place) X(common) X(module) X(complex)                  \
    X(narrow) X(intrinsics) X(workspace) X(matrices)

enum { COUNT = 8 };
#define MAP(name)                                                                                                     \
    void f_##name##_(const double *x, double *y, const int *n);                                                       \
    LIBRARY_MAP(in_##name, COUNT, int n = COUNT; f_##name##_(from, to, &n))
FORTRAN(MAP)
double f_double_(const double *x, const int *n);
static double value(const double *x) {
    int n = 4;
    return f_double_(x, &n) * x[1];
}
AD_FUNCTIONAL(value)
typedef struct { double re, im; } number;
void f_turn_(const number *z, const double *by, number *w);
static double turned(const double *x) {
    number z = {x[0], x[1]}, w;
    f_turn_(&z, &x[2], &w);
    return w.re * w.im;
}
AD_FUNCTIONAL(turned)

int main(void) {
#define CASE(name) CHECK_MAP(in_##name, COUNT, COUNT),
    check_case cases[] = {FORTRAN(CASE) CHECK_FUNCTIONAL(value, 4), CHECK_FUNCTIONAL(turned, 3)};
    check_maps(cases, sizeof cases / sizeof *cases);
    return check_done();
}
