/* A call of libm whose result nobody needs, and whose error decides: it stays. */
#include "requests.h"
#include <errno.h>

enum { N = 2 };

static double checked(const double *x) {
    errno = 0;
    double unused = log(x[0] - 1.0);
    (void)unused;
    return errno ? x[1] * x[1] : x[0] * x[1];
}
AD_FUNCTIONAL(checked)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(checked, N);
    check_random_points(&c, 4, 0.3, 0.9);
    check_random_points(&c, 4, 1.3, 1.9);
    return check_done();
}
