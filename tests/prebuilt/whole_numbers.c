// ad-library: whole_numbers.c
// ad-link: -lm
// ad-i386: none
// ad-environment: ADSHADOW_TIES=quiet
/* Reals that become integers: the rest has the derivative, also where it is zero; and zeros that give a sign. */
#include "requests.h"

double whole_table(double x);
float whole_table_float(float x);
double whole_rounded(double x);
long double whole_long(long double x);
double sign_of_zero(double x);
double sign_of_one(double x);
static double table(double x) { return whole_table(x); }
static double table_float(double x) { return (double)whole_table_float((float)x); }
static double rounded(double x) { return whole_rounded(x); }
static double of_long(double x) { return (double)whole_long((long double)x); }
static double zero(double x) { return sign_of_zero(x); }
static double one(double x) { return sign_of_one(x); }

static int failed, passed;
static void check(const char *name, double x, double got, double want) {
    if (fabs(got - want) <= 1e-12 * (1 + fabs(want))) {
        passed++;
        return;
    }
    failed++;
    printf("FAIL %s at %g: got %.12g, want %.12g\n", name, x, got, want);
}
#define BOTH(name, x, want) check(#name, x, __ad_tangent((void *)name, x, 1.0), want), check(#name, x, __ad_adjoint((void *)name, x), want)

int main(void) {
    static const double steps[8] = {1, -3.5, 5, -2.75, 0.75, 1, -3, 1.5};
    static const double points[] = {0.25, 2, 2.5, 7, 1000, 1000.5, 131072, 200000, 200000.5, 1048576, 5000000, 12345678.25, 4e9 + 0.5};
    for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
        double x = points[k];
        BOTH(table, x, steps[(long)x & 7]);
        if (x < 1e6) BOTH(table_float, x, steps[(long)x & 7]), BOTH(rounded, x, 2 * x - nearbyint(x)), BOTH(of_long, x, 2 * (x - floor(x)));
    }
    check("zero", 0, __ad_tangent((void *)zero, 0.0, 1.0), 1);
    BOTH(zero, 0.5, 0.25);
    BOTH(one, 0.0, 1);
    BOTH(one, 0.5, 1);
    printf("checks: %d passed, %d failed\n", passed, failed);
    return failed != 0;
}
