/* Code that asks whether numbers are equal. */
#include <math.h>

/* As libraries of linear algebra skip zeros. */
double ties_skip(const double *a, const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (x[i] != 0.0) sum += a[i] * x[i];
    return sum;
}

/* Order only: a tie is a kink. */
double ties_order(double x, double y) {
    double larger = x > y ? x : y, bounded = x <= 2.0 ? x * y : y;
    return larger * bounded;
}

/* Whether it is a number at all. */
double ties_number(double x) { return isnan(x) ? 0.0 : x * x; }

float ties_float(float x, float y) { return x == y ? 1.0f : (x * x - y * y) / (x - y); }
