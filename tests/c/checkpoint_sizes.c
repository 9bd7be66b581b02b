/* What steps reach, where the program says less of sizes than is known, or allocates on one of two ways. */
#include "requests.h"

enum { N = 3 };

static double sizes(const double *x, int n, int is_used) {
    double *a = 0, sum = 0.0, w[6];
    if (n > 0) a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++) a[i] = x[0] * (i + 1);
    double *b = is_used ? a : 0;
    for (int i = 0; i < 6; i++) w[i] = x[1] + i;
    /* All of w is known, whatever this says. */
    ad_checkpoint_state(w + 2, sizeof *w);
    for (int t = 0; t < 6; t++) {
        ad_checkpoint_loop(2);
        for (int i = 0; i < n; i++) a[i] = a[i] * a[n - 1 - i] * 0.2 + 0.3;
        for (int i = 0; i < 6; i++) w[i] = w[i] * w[5 - i] * 0.1 + 0.2 * x[2];
    }
    for (int i = 0; i < n; i++) sum += a[i] * (b ? b[0] : 2.0);
    for (int i = 0; i < 6; i++) sum += w[i];
    for (int i = 0; i < n; i++) a[i] = 0.0;
    for (int i = 0; i < 6; i++) w[i] = 0.0;
    free(a);
    return sum;
}
static double none(const double *x) { return sizes(x, 0, 1); }
static double some(const double *x) { return sizes(x, 3, 0); }
static double used(const double *x) { return sizes(x, 4, 1); }

AD_FUNCTIONAL(none)
AD_FUNCTIONAL(some)
AD_FUNCTIONAL(used)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(none, N), CHECK_FUNCTIONAL(some, N), CHECK_FUNCTIONAL(used, N)};
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 4, 0.3, 0.9);
    return check_done();
}
