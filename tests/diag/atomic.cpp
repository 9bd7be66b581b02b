// An atomic addition of active data.
// ad-flags: -g -std=c++20
// ad-error: AD035 13:5 an atomic exchange or integer operation accesses active data: it has no derivative
#include "ad.h"

#include <atomic>

static void add(double *sum, const double *x) {
    for (int i = 0; i < 3; i++) std::atomic_ref<double>(*sum).fetch_add(x[i] * x[i], std::memory_order_relaxed);
}

void derivative(double *sum, double *sumb, const double *x, double *xb) {
    __ad_adjoint<void>(add, sum, sumb, x, xb);
}
