/* Loops with ad_fixed_point that do not iterate to a fixed point, or do not show where their state lies: the adjoint does not converge, and
 * the program ends instead of giving a number. */

#include "requests.h"
#include "ending.h"

/* A sum over the iterations is no state that converges. */
static double summed(const double *x) {
    double z = 1.0, sum = 0.0;
    for (int i = 0; i < 40; i++) {
        ad_fixed_point(1e-12);
        z = 0.5 * (z + x[0] / z);
        sum += z;
    }
    return sum;
}
AD_FUNCTIONAL(summed)

static double growing(const double *x) {
    double z = 0.1;
    for (int i = 0; i < 4; i++) {
        ad_fixed_point(1e-12);
        z = z * x[0] + 1.0;
    }
    return z;
}
AD_FUNCTIONAL(growing)

/* The guess is good enough: no iteration says what the function is. */
static double none(const double *x) {
    double z = 1.5;
    while (fabs(z * z - x[0]) > 10.0) {
        ad_fixed_point(1e-12);
        z = 0.5 * (z + x[0] / z);
    }
    return z;
}
AD_FUNCTIONAL(none)

/* Where the state lies follows from a counter. */
static double by_parity(const double *x) {
    double z[2] = {1.0, 1.0};
    for (int i = 0; i < 40; i++) {
        ad_fixed_point(1e-12);
        z[(i + 1) % 2] = 0.2 * x[0] * cos(z[i % 2]);
    }
    return z[0];
}
AD_FUNCTIONAL(by_parity)

/* The same from a fixed point on: neither array changes, and the second is not read. */
static double by_parity_warm(const double *x) {
    double z[2] = {0.7, 0.7};
    int i = 0;
    for (int k = 0; k < 300; k++) z[0] = 0.2 * x[0] * cos(z[0]);
    do {
        ad_fixed_point(1e-12);
        z[(i + 1) % 2] = 0.2 * x[0] * cos(z[i % 2]);
        i++;
    } while (fabs(z[0] - z[1]) > 1e-12);
    return z[i % 2];
}
AD_FUNCTIONAL(by_parity_warm)

/* The first iteration sets a coefficient: to what it is already, the second time. */
static double first_sets(const double *x) {
    static double c[2];
    double z = 1.0;
    for (int i = 0; i < 60; i++) {
        ad_fixed_point(1e-12);
        if (i == 0) c[0] = x[0] * x[0];
        z = 0.1 * cos(z) * c[0];
    }
    return z;
}
static void first_sets_twice(const double *x, double *xb, double *y, double *yb) {
    (void)y, (void)yb;
    first_sets(x);
    __ad_adjoint_void((void *)first_sets, x, xb);
}
static void first_sets_map(const double *x, double *y) { y[0] = first_sets(x); }

/* A tolerance that the program computes, and which is none. */
static double tolerant(const double *x, double tolerance) {
    double z = 1.0;
    for (int i = 0; i < 40; i++) {
        ad_fixed_point(tolerance);
        z = 0.5 * (z + x[0] / z);
    }
    return z;
}
static void tolerant_map(const double *x, double *y) { y[0] = tolerant(x, 1e-12); }
extern int ad_const;
static volatile double tolerance = 0.0;
static void tolerant_adjoint(const double *x, double *xb, double *y, double *yb) {
    (void)y, (void)yb;
    __ad_adjoint_void((void *)tolerant, x, xb, ad_const, tolerance);
}

#define ENDS(f, word)                                             \
    do {                                                          \
        check_case c = CHECK_FUNCTIONAL(f, 1);                    \
        check_case_ends(#f, &c, x, 1, "AD227", word);             \
    } while (0)
static void first_sets_tangent(const double *x, const double *xd, double *y, double *yd) { (void)x, (void)xd, (void)y, (void)yd; }
static void tolerant_tangent(const double *x, const double *xd, double *y, double *yd) { (void)x, (void)xd, (void)y, (void)yd; }
static void first_sets_adjoint(const double *x, double *xb, double *y, double *yb) { first_sets_twice(x, xb, y, yb); }

int main(void) {
    const double x[1] = {2.0};
    ENDS(summed, "1.000e0 times its first size");
    ENDS(growing, "as its size");
    ENDS(none, "its only step");
    ENDS(by_parity, "does not converge");
    ENDS(by_parity_warm, "does not converge");
    ENDS(first_sets, "does not converge");
    ENDS(tolerant, "has the tolerance 0e0");
    tolerance = 1e-13;
    double b[1] = {0.0};
    tolerant_adjoint(x, b, 0, 0);
    check_close("a tolerance that is computed", b[0], 0.5 / sqrt(2.0), 1e-12);
    return check_done();
}
