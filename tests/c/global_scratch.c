/* Static and global variables as scratch: each active global gets a shadow of its own, and a second call must not see
 * what the first left in it. */
// ad-sanitizers: address
#include "requests.h"

enum { N = 5 };

static double scratch[N];
double total; /* external linkage */
static const double weights[N] = {0.5, 1.0, 1.5, 2.0, 2.5};

static void square_all(const double *x) {
    for (int i = 0; i < N; i++) scratch[i] = weights[i] * x[i] * x[i];
}

static void add_all(void) {
    total = 0.0;
    for (int i = 0; i < N; i++) total += scratch[i] * scratch[(i + 1) % N];
}

static double through_globals(const double *x) {
    static double last;
    square_all(x);
    add_all();
    last = total * x[0];
    return last;
}
AD_FUNCTIONAL(through_globals)
static void through_globals_jacobian(const double *x, double *J) {
    double s[N], sum = 0.0;
    for (int i = 0; i < N; i++) s[i] = weights[i] * x[i] * x[i];
    for (int i = 0; i < N; i++) sum += s[i] * s[(i + 1) % N];
    for (int i = 0; i < N; i++) J[i] = x[0] * (s[(i + 1) % N] + s[(i + N - 1) % N]) * 2.0 * weights[i] * x[i] + (i == 0) * sum;
}

int main(void) {
    check_case c = CHECK_FUNCTIONAL(through_globals, N);
    c.jacobian = through_globals_jacobian;
    check_random_points(&c, 5, 0.3, 1.3);
    return check_done();
}
