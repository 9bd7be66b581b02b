/* Loops over pointers: `while (p != end)`, `*p++`, two pointers that meet, a pointer that walks a matrix's column. */
#include "requests.h"

enum { N = 6 };

static double walk(const double *x) {
    const double *p = x, *end = x + N;
    double t = 1.0;
    while (p != end) {
        t = t * *p + 0.5;
        p++;
    }
    return t;
}
static double meet(const double *x) {
    const double *low = x, *high = x + N;
    double sum = 0.0;
    while (low < high) {
        double a = *low++, b = *--high;
        sum += a * b * *low;
    }
    return sum;
}
static void copy_on(const double *x, double *y) {
    const double *end = x + N;
    double last = 1.0;
    while (x != end) {
        last = *x++ * last;
        *y++ = last * last;
    }
}
static double column(const double *x) { /* 2 x 3, column 1, then column 2 */
    double t = 0.0;
    for (int c = 1; c < 3; c++)
        for (const double *p = x + c; p < x + N; p += 3) t = sin(t) + *p * *p;
    return t;
}
AD_FUNCTIONAL(walk)
AD_FUNCTIONAL(meet)
AD_MAP(copy_on)
AD_FUNCTIONAL(column)

static void copy_on_jacobian(const double *x, double *J) {
    memset(J, 0, N * N * sizeof *J);
    double product = 1.0;
    for (int i = 0; i < N; i++) {
        product *= x[i];
        for (int k = 0; k <= i; k++) J[i * N + k] = 2.0 * product * product / x[k];
    }
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(walk, N), CHECK_FUNCTIONAL(meet, N), CHECK_MAP(copy_on, N, N), CHECK_FUNCTIONAL(column, N)};
    cases[2].jacobian = copy_on_jacobian;
    for (int i = 0; i < 4; i++) check_random_points(&cases[i], 3, 0.4, 1.2);
    return check_done();
}
