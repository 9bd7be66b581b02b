/* With debug information: variables declared, inlined calls, lines in the generated code; nothing may fail to verify.
 * ad-flags: -g */
#include "requests.h"

enum { N = 5 };

static inline double sigmoid(double x) {
    double e = exp(-x);
    double result = 1.0 / (1.0 + e);
    return result;
}
static void layer(const double *x, double *y) {
    for (int i = 0; i < N; i++) {
        double sum = 0.0;
        for (int j = 0; j < N; j++) {
            double w = x[(i + j) % N];
            sum += w * x[j];
        }
        double *out = &y[i];
        *out = sigmoid(sum);
    }
}
AD_MAP(layer)

int main(void) {
    check_case c = CHECK_MAP(layer, N, N);
    check_random_points(&c, 3, -1.0, 1.0);
    return check_done();
}
