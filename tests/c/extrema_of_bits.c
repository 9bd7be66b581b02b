/* The smaller or larger of two reals, chosen by their bits as integers: of positive reals the order is the same. Passes make a minimum of integers of it. */
#include "requests.h"

typedef union {
    double d;
    int64_t i;
} word;

static double by_union(const double *x) {
    word a = {x[0]}, b = {x[1]}, r;
    r.i = a.i < b.i ? a.i : b.i;
    return r.d * x[2];
}
static double computed(const double *x) {
    word a = {x[0] * x[1]}, b = {x[1] * x[2]}, r;
    r.i = a.i > b.i ? a.i : b.i;
    return r.d * x[2];
}
static double by_copy(const double *x) {
    uint64_t u[2];
    double both[2] = {x[0], x[1]}, largest;
    memcpy(u, both, sizeof u);
    uint64_t most = u[0] > u[1] ? u[0] : u[1];
    memcpy(&largest, &most, sizeof largest);
    return largest * x[2];
}
static double single(const double *x) {
    float a = (float)x[0], b = (float)x[1];
    uint32_t m, n;
    memcpy(&m, &a, sizeof m);
    memcpy(&n, &b, sizeof n);
    m = m < n ? m : n;
    memcpy(&a, &m, sizeof a);
    return a * x[2];
}
/* An index stays one. */
static double clamped(const double *x) {
    long i = (long)(x[0] * 4);
    i = i > 2 ? 2 : i;
    long kept[1] = {i < 0 ? 0 : i};
    return x[kept[0]] * x[1];
}

AD_FUNCTIONAL(by_union)
AD_FUNCTIONAL(computed)
AD_FUNCTIONAL(by_copy)
AD_FUNCTIONAL(single)
AD_FUNCTIONAL(clamped)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(by_union, 3), CHECK_FUNCTIONAL(computed, 3), CHECK_FUNCTIONAL(by_copy, 3), CHECK_FUNCTIONAL(single, 3),
                          CHECK_FUNCTIONAL(clamped, 3)};
    cases[3].tol_diff = 2e-3, cases[3].step = 1e-3; /* float: 24 bits; differences over the small step lose half */
    cases[3].tol_dot = 1e-5; /* float: 24 bits */
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
