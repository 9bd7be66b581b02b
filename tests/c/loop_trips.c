/* Trip counts 0, 1 and more, decided by an argument: for, while and do-while; empty inner loops; a zero-length array. */
#include "requests.h"

enum { N = 4 };

static int trips; /* set before each case; not active */

static double counted(const double *x) {
    double t = x[0];
    for (int i = 0; i < trips; i++) t = t * x[i % N] + 1.0;
    return t * x[1];
}
static double while_counted(const double *x) {
    double t = x[0];
    int left = trips;
    while (left > 0) {
        t = sin(t) * x[left % N];
        left--;
    }
    return t + x[1];
}
static double do_while(const double *x) {
    double t = x[0];
    int i = 0;
    do {
        t = t * t * 0.5 + x[i % N];
        i++;
    } while (i < trips);
    return t;
}
static double nested(const double *x) {
    double t = x[0];
    for (int i = 0; i < trips; i++)
        for (int j = 0; j < i - 1; j++) t = t * x[j % N] + x[i % N]; /* the first two inner loops are empty */
    return t * t;
}
AD_FUNCTIONAL(counted)
AD_FUNCTIONAL(while_counted)
AD_FUNCTIONAL(do_while)
AD_FUNCTIONAL(nested)

static double sum_of(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(counted, N), CHECK_FUNCTIONAL(while_counted, N), CHECK_FUNCTIONAL(do_while, N),
                          CHECK_FUNCTIONAL(nested, N)};
    for (trips = -1; trips <= 5; trips++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_random_points(&cases[i], 1, 0.3, 1.2);

    double x[2] = {3.0, 4.0}, xb[2] = {0.5, 0.25};
    __ad_adjoint_void((void *)sum_of, x, xb, 0);
    check_equal_bits("no trip, adjoint", xb[0], 0.5);
    check_equal_bits("no trip, tangent", __ad_tangent_double((void *)sum_of, x, xb, 0), 0.0);
    __ad_adjoint_void((void *)sum_of, x, xb, 1);
    check_equal_bits("one trip", xb[0], 6.5);
    check_equal_bits("one trip, untouched", xb[1], 0.25);
    return check_done();
}
