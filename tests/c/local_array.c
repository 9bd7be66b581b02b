/* Local arrays as temporaries: one and two dimensions, overwritten between uses. */
// ad-switches: what is overwritten and needed before
#include "requests.h"

enum { N = 6 };

static double twice(const double *x) {
    double t[N], sum = 0.0;
    for (int i = 0; i < N; i++) t[i] = x[i] * x[i];
    for (int i = 1; i < N; i++) sum += t[i] * t[i - 1];
    for (int i = 0; i < N; i++) t[i] = sin(x[i]); /* overwrites what the reverse sweep still needs */
    for (int i = 0; i < N; i++) sum += t[i] * t[N - 1 - i];
    return sum;
}
AD_FUNCTIONAL(twice)
static void twice_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) {
        double around = (i > 0 ? x[i - 1] * x[i - 1] : 0.0) + (i < N - 1 ? x[i + 1] * x[i + 1] : 0.0);
        J[i] = 2.0 * x[i] * around + 2.0 * cos(x[i]) * sin(x[N - 1 - i]);
    }
}

static void outer(const double *x, double *y) {
    double m[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[i][j] = x[i] * x[j] + (i == j);
    for (int i = 0; i < 3; i++) {
        y[i] = 0.0;
        for (int j = 0; j < 3; j++) y[i] += m[j][i] * m[i][j];
    }
}
AD_MAP(outer)
static void outer_jacobian(const double *x, double *J) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double sum = 0.0;
            for (int j = 0; j < 3; j++) sum += 2.0 * (x[i] * x[j] + (i == j)) * ((k == i) * x[j] + (k == j) * x[i]);
            J[i * 3 + k] = sum;
        }
}

int main(void) {
    check_case first = CHECK_FUNCTIONAL(twice, N), second = CHECK_MAP(outer, 3, 3);
    first.jacobian = twice_jacobian, second.jacobian = outer_jacobian;
    check_random_points(&first, 4, 0.2, 1.2);
    check_random_points(&second, 4, 0.2, 1.2);
    return check_done();
}
