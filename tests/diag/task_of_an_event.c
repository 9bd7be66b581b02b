/* A task that an event completes is refused by name: it may be done before or after the thread that meets it goes on.
 * ad-flags: -g -fopenmp
 * ad-levels: O0 O2
 * ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
 * ad-error: AD021 17:1 '__kmpc_omp_task' (threads) */
#include "ad.h"
#include <omp.h>

extern void __ad_adjoint_void(void *, ...);

static double by_event(const double *x) {
    double s = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t done;
#pragma omp task detach(done) shared(s)
        {
            s = x[0] * x[1];
            omp_fulfill_event(done);
        }
#pragma omp taskwait
    }
    return s;
}

void gradient(const double *x, double *xb) { __ad_adjoint_void((void *)by_event, x, xb); }
