/* Memory that a function allocates and returns: its caller overwrites it before the reverse sweep, which must not read it. */
// ad-sanitizers: address
#include "requests.h"

typedef struct box { double *values; } box;

enum { N = 6 };

__attribute__((noinline)) static double make(box *b, const double *x) {
    double *values = (double *)malloc(N * sizeof *values), sum = 0.0;
    for (int i = 0; i < N; i++) values[i] = x[i] * x[i];
    for (int i = 0; i < N; i++) sum += values[i] * values[i] * values[(i + 1) % N];
    b->values = values;
    return sum;
}

static double overwritten(const double *x) {
    box b;
    double sum = make(&b, x);
    for (int i = 0; i < N; i++) b.values[i] = 100.0 * sum;
    sum += b.values[2];
    free(b.values);
    return sum;
}
AD_FUNCTIONAL(overwritten)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(overwritten, N);
    check_random_points(&c, 2, 0.5, 1.5);

    /* Between the sweeps of split mode likewise. */
    double x[N], xb[N] = {0}, want[N] = {0};
    box b, bb;
    check_fill(x, N, 0.5, 1.5);
    void *tape = __ad_augmented((void *)make, &b, &bb, x, xb);
    for (int i = 0; i < N; i++) b.values[i] = -7.0;
    __ad_reverse((void *)make, &b, &bb, x, xb, 1.0, tape);
    free(b.values), free(bb.values);
    box c2, c2b;
    __ad_adjoint_void((void *)make, &c2, &c2b, x, want);
    free(c2.values), free(c2b.values);
    for (int i = 0; i < N; i++) check_close("split against joined", xb[i], want[i], 1e-14);
    return check_done();
}
