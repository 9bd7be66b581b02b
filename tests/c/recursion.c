/* Recursion: by value, over an array in halves, mutual recursion, and a depth that depends on the data. */
// ad-switches: calls
#include "requests.h"

enum { N = 7 };

static double power(double x, int n) {
    if (n == 0) return 1.0;
    double half = power(x, n / 2);
    return n % 2 ? half * half * x : half * half;
}
static double power13(double x) { return power(x, 13); }
AD_VALUE(power13)
static void power13_jacobian(const double *x, double *J) { J[0] = 13.0 * pow(x[0], 12.0); }

static double product(const double *x, int n) {
    if (n == 1) return x[0];
    int half = n / 2;
    return product(x, half) * product(x + half, n - half);
}
static double product_all(const double *x) { return product(x, N); }
AD_FUNCTIONAL(product_all)
static void product_all_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) J[i] = product(x, N) / x[i];
}

static double odd(const double *x, double t, int n);
static double even(const double *x, double t, int n) { return n == 0 ? t : odd(x, t * x[n - 1], n - 1); }
static double odd(const double *x, double t, int n) { return n == 0 ? t * t : even(x, sin(t) + x[n - 1], n - 1); }
static double alternate(const double *x) { return even(x, x[0], N) + odd(x, x[1], N - 1); }
AD_FUNCTIONAL(alternate)

static double by_data(const double *x, double t) { /* the depth depends on the data */
    if (t > 40.0) return t;
    return by_data(x, t * (1.0 + x[0]) + x[1]) * (1.0 + 0.1 * x[2]);
}
static double deep(const double *x) { return by_data(x, x[3]); }
AD_FUNCTIONAL(deep)

int main(void) {
    check_case cases[] = {CHECK_VALUE(power13), CHECK_FUNCTIONAL(product_all, N), CHECK_FUNCTIONAL(alternate, N)};
    cases[0].jacobian = power13_jacobian;
    cases[1].jacobian = product_all_jacobian;
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.5, 1.3);
    check_case c = CHECK_FUNCTIONAL(deep, 4);
    c.step = 0.002;
    check_at(&c, (double[]){0.5, 0.3, 0.2, 1.0});
    check_at(&c, (double[]){1.5, 0.1, 0.7, 2.0});
    return check_done();
}
