/* An integer is stored over half of a real, which is read as a real afterwards: no derivative is known of what is left. The
 * adjoint ends the program (AD221), the tangent is no number.
 * ad-i386: none, what is decided when the program runs needs 64 bits */
#include "ending.h"
#include "requests.h"
#include <math.h>

enum { N = 3 };

union halves {
    double real;
    unsigned half[2];
};
static double one(const double *x) {
    union halves u;
    u.real = x[0] * x[1];
    u.half[0] = 1u;
    return u.real * x[2];
}
static double several(const double *x) {
    union halves u[N];
    double sum = 0.0;
    for (int i = 0; i < N; i++) u[i].real = x[i] * x[0];
    for (int i = 0; i < N; i++) u[i].half[0] = 7u + i;
    for (int i = 0; i < N; i++) sum += u[i].real;
    return sum;
}
int eighth = 7;
static double byte(const double *x) {
    double r[2] = {x[0] * x[1], x[1]};
    ((unsigned char *)r)[eighth] = 0xbf;
    return r[0] * x[2] + r[1];
}
AD_FUNCTIONAL(one)
AD_FUNCTIONAL(several)
AD_FUNCTIONAL(byte)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(one, N), CHECK_FUNCTIONAL(several, N), CHECK_FUNCTIONAL(byte, N)};
    const double x[N] = {0.7, 0.3, 0.9}, xd[N] = {1.0, 0.5, 0.25};
    for (int i = 0; i < 3; i++) {
        double y, yd = 0.0;
        check_case_ends(cases[i].name, &cases[i], x, 1, "AD221", "overwrites a part of an active real");
        cases[i].tangent(x, xd, &y, &yd);
        check_true(cases[i].name, isnan(yd));
    }
    return check_done();
}
