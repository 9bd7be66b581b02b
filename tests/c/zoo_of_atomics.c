/* Atomic operations of all kinds on reals, locks, and parts of loops in the order of the iterations: the reverse sweep undoes them in the reverse of the
 * order in which the threads came. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <omp.h>

enum { N = 12 };

static double products(const double *x) {
    double y = 1, z = 0.5, w = 2;
    /* z = u - z depends on the order: with equal u, it does not. */
    double u = x[0] * x[1];
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++) {
#pragma omp atomic
        y *= 1 + 0.1 * x[i];
#pragma omp atomic
        z = u - z;
#pragma omp atomic
        w /= 1 + x[i] * x[i];
    }
    return y * w + z * z * u;
}
static double extrema(const double *x) {
    double most = -1e30, least = 1e30, s = 0;
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++) {
        double y = x[i] * (1 + 0.25 * sin(i));
#pragma omp atomic compare
        most = most < y ? y : most;
#pragma omp atomic compare
        least = y < least ? y : least;
#pragma omp atomic
        s = s + y * y;
#pragma omp atomic
        s = s - x[i];
    }
    return most * least + s * most;
}
/* Cells of an array, of which many share a lock of the runtime. */
static double cells(const double *x) {
    double y[200], s = 0;
    for (int i = 0; i < 200; i++) y[i] = 1 + x[i % N];
#pragma omp parallel for
    for (int i = 0; i < 600; i++) {
        double factor = 0.9 + 0.1 * x[i % N];
#pragma omp atomic
        y[i * 7 % 200] *= factor;
    }
    for (int i = 0; i < 200; i++) s += y[i];
    return s / 200;
}
static double locks(const double *x) {
    double sums[2] = {1, 2};
    omp_lock_t lock[2];
    for (int i = 0; i < 2; i++) omp_init_lock(&lock[i]);
#pragma omp parallel for schedule(static, 2)
    for (int i = 0; i < N; i++) {
        omp_set_lock(&lock[i % 2]);
        sums[i % 2] *= 1 + 0.5 * x[i] * x[0];
        omp_unset_lock(&lock[i % 2]);
    }
    for (int i = 0; i < 2; i++) omp_destroy_lock(&lock[i]);
    return sums[0] / sums[1];
}
static double ordered(const double *x) {
    double y = x[0], sum = 0;
#pragma omp parallel for ordered schedule(static, 1) reduction(+ : sum)
    for (int i = 1; i < N; i++) {
        double z = exp(-x[i]);
#pragma omp ordered
        y = 0.5 * y * y + z;
        sum += z * z;
    }
    return y + sum;
}

AD_FUNCTIONAL(products)
AD_FUNCTIONAL(extrema)
AD_FUNCTIONAL(cells)
AD_FUNCTIONAL(locks)
AD_FUNCTIONAL(ordered)

int main(void) {
    struct check_case all[] = {CHECK_FUNCTIONAL(products, N), CHECK_FUNCTIONAL(extrema, N), CHECK_FUNCTIONAL(cells, N), CHECK_FUNCTIONAL(locks, N),
                               CHECK_FUNCTIONAL(ordered, N)};
    for (int threads = 1; threads <= 4; threads++) {
        double x[N];
        omp_set_num_threads(threads);
        for (int i = 0; i < N; i++) x[i] = 0.2 + 0.05 * i + 0.1 * threads * sin(i * i);
        for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
            all[i].step = 1e-3;
            check_at(&all[i], x);
        }
    }
    return check_done();
}
