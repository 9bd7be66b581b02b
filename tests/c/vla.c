/* Arrays whose length is known at run time only: variable-length arrays, in one and two dimensions, one in a loop. */
#include "requests.h"

enum { N = 5 };

static double whole(const double *x, int n) {
    double t[n], sum = 0.0;
    for (int i = 0; i < n; i++) t[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) sum += t[i] * t[n - 1 - i];
    return sum;
}
static double square(const double *x, int n) {
    double m[n][n], sum = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) m[i][j] = x[i] * x[j] + x[0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += m[i][j] * m[j][n - 1 - i];
    return sum;
}
static double in_loop(const double *x, int n) {
    double product = 1.0;
    for (int i = 1; i <= n; i++) {
        double t[i];
        for (int j = 0; j < i; j++) t[j] = sin(x[j]) * x[i - 1];
        product *= t[0] + t[i - 1];
    }
    return product;
}
static double whole_n(const double *x) { return whole(x, N); }
static double square_n(const double *x) { return square(x, N); }
static double in_loop_n(const double *x) { return in_loop(x, N); }
AD_FUNCTIONAL(whole_n)
AD_FUNCTIONAL(square_n)
AD_FUNCTIONAL(in_loop_n)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(whole_n, N), CHECK_FUNCTIONAL(square_n, N), CHECK_FUNCTIONAL(in_loop_n, N)};
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.3, 1.3);
    return check_done();
}
