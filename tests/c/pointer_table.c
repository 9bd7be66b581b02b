/* A local table of pointers to rows: writing through it, and reading the rows by their names. */
// ad-switches: aliasing
#include "requests.h"

enum { N = 4 };

static double table(const double *x) {
    double low[N], high[N], *rows[2] = {low, high}, sum = 0.0;
    for (int i = 0; i < N; i++) rows[i % 2][i] = x[i] * x[i];
    for (int i = 0; i < N; i++) rows[(i + 1) % 2][i] = sin(x[i]);
    for (int i = 0; i < N; i++) sum += low[i] * high[i] * rows[0][0];
    return sum;
}
AD_FUNCTIONAL(table)
static void table_jacobian(const double *x, double *J) { /* low[0] = x0^2; each product is x^2 sin x */
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += x[i] * x[i] * sin(x[i]);
    for (int i = 0; i < N; i++) J[i] = x[0] * x[0] * (2.0 * x[i] * sin(x[i]) + x[i] * x[i] * cos(x[i]));
    J[0] += 2.0 * x[0] * sum;
}

int main(void) {
    check_case c = CHECK_FUNCTIONAL(table, N);
    c.jacobian = table_jacobian;
    check_random_points(&c, 3, 0.3, 1.3);
    return check_done();
}
