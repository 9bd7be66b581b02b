/* Elements of vectors that no result depends on: LLVM leaves them undefined, and what is undefined must not reach an adjoint
 * through a product with zero. */
// ad-sanitizers: address
#include "requests.h"

typedef double four __attribute__((vector_size(32)));

__attribute__((noinline)) static double second(double a, four v) {
    v = v * 0.4;
    v[0] = sin(v[3]);
    return v[1] * a;
}
static double shuffled(const double *x) {
    four v = {0.5, x[0], 0.5, x[1]};
    return second(x[2], __builtin_shufflevector(v, v, 1, 0, 1, 3)) + second(0.5, v);
}
AD_FUNCTIONAL(shuffled)

/* Both factors have elements that are not set. */
static double products(const double *x) {
    four v, w;
    v[0] = x[0], v[2] = x[1];
    w[0] = x[2], w[1] = x[3], w[2] = x[0];
    four p = v * w / (w + 1.5), q = __builtin_shufflevector(p, w, 0, 2, 5, 5);
    double s = 0;
    for (int i = 0; i < 3; i++) s += q[i] * (i + 1);
    return s * p[2];
}
AD_FUNCTIONAL(products)

/* A scalar that one path does not set, and does not need. */
static double sometimes(const double *x) {
    double t, s = 0;
    for (int i = 0; i < 4; i++) {
        int set = x[i] > 0.7;
        if (set) t = x[i] * x[0];
        double p = x[(i + 1) % 4] * x[1];
        if (set) s += t * p;
    }
    return s + x[2];
}
AD_FUNCTIONAL(sometimes)

int main(void) {
    check_case all[] = {CHECK_FUNCTIONAL(shuffled, 4), CHECK_FUNCTIONAL(products, 4), CHECK_FUNCTIONAL(sometimes, 4)};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) check_random_points(&all[i], 3, 0.3, 1.1);
    return check_done();
}
