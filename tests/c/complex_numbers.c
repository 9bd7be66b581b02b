/* _Complex: products, quotients, absolute values, conjugates; passed and returned by calls that stay calls; arrays of them. */
#include <complex.h>
#include "requests.h"

__attribute__((noinline)) static double _Complex step(double _Complex z, double _Complex c) { return z * z + c; }

static void julia(const double *x, double *y) {
    double _Complex z = x[0] + x[1] * I, c = x[2] - 0.3 * I;
    for (int i = 0; i < 3; i++) z = step(z, c);
    y[0] = creal(z);
    y[1] = cimag(z) * creal(conj(z));
}
static void quotient(const double *x, double *y) {
    double _Complex z = x[0] + x[1] * I, w = x[2] + 2.0 * I;
    double _Complex q = z / w + w / z;
    y[0] = creal(q);
    y[1] = cimag(q * q);
}
static double polynomial(const double *x) {
    double _Complex z[3], p = 0.0;
    for (int i = 0; i < 3; i++) z[i] = x[i] * (1.0 + I * i);
    for (int i = 0; i < 3; i++) p = p * z[i] + z[2 - i];
    return creal(p) * cimag(p);
}
AD_MAP(julia)
AD_MAP(quotient)
AD_FUNCTIONAL(polynomial)

int main(void) {
    check_case cases[] = {CHECK_MAP(julia, 3, 2), CHECK_MAP(quotient, 3, 2), CHECK_FUNCTIONAL(polynomial, 3)};
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.3, 0.9);
    return check_done();
}
