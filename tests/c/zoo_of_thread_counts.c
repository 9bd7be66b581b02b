/* The two sweeps of a gradient with a parallel region, run apart: the reverse sweep has the threads of the forward sweep, whatever the number is set to
 * in between. Where OpenMP gives it others, within a region, the program ends (AD228). */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "ending.h"
#include "requests.h"
#include <omp.h>

enum { N = 7 };

static double sums(const double *x) {
    double s = 0, product = 1;
#pragma omp parallel for schedule(monotonic : dynamic) reduction(+ : s)
    for (int i = 0; i < N; i++) {
        double y = x[i] * sin(x[0] * x[i]);
        s += y;
#pragma omp critical
        product *= 1 + y * y;
    }
    return s * s * product;
}

struct tape_and_value {
    void *tape;
    double value;
};
extern struct tape_and_value __ad_augmented_value(void *f, ...);
extern void __ad_reverse_void(void *f, ...);

static void *record(const double *x, double *xb) { return __ad_augmented_value((void *)sums, x, xb).tape; }
static void undo(const double *x, double *xb, void *tape) { __ad_reverse_void((void *)sums, x, xb, 1.0, tape); }

static const double at[N] = {0.7, 0.4, 0.9, 0.3, 0.8, 0.5, 0.6};
static void undo_within(void *unused) {
    double xb[N] = {0.0};
    (void)unused;
    omp_set_num_threads(3);
    void *tape = record(at, xb);
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2)
#pragma omp single
    undo(at, xb, tape);
}

int main(void) {
    double whole[N] = {0.0};
    omp_set_num_threads(1);
    __ad_adjoint_void((void *)sums, at, whole);
    for (int forward = 1; forward <= 4; forward++) {
        double xb[N] = {0.0};
        omp_set_num_threads(forward);
        void *tape = record(at, xb);
        omp_set_num_threads(5 - forward);
        undo(at, xb, tape);
        for (int i = 0; i < N; i++) check_close("apart", xb[i], whole[i], 1e-12);
    }
    check_ends("within a region", undo_within, 0, "AD228", "3 threads");
    return check_done();
}
