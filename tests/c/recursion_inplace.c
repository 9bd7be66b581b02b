/* Recursion in place: each frame has a temporary that lives across two calls which overwrite the array. */
// ad-switches: calls
#include "requests.h"

enum { N = 7 };

static void transform(double *x, int n) { /* in place, a frame's temporary lives across the calls */
    if (n < 2) return;
    double kept = x[0] * x[n - 1];
    transform(x + 1, n - 2);
    x[0] = sin(kept) + x[1];
    x[n - 1] = x[n - 1] * kept;
    transform(x, n / 2);
}
static void transformed(const double *x, double *y) {
    memcpy(y, x, N * sizeof *y);
    transform(y, N);
}
AD_MAP(transformed)

int main(void) {
    check_case c = CHECK_MAP(transformed, N, N);
    check_random_points(&c, 3, 0.5, 1.3);
    return check_done();
}
