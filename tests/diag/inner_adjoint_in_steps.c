/* A step of a checkpointed loop that asks for an adjoint, in a function of which an adjoint is asked for.
 * ad-flags: -g
 * ad-error: AD050 17:9 a checkpointed step or joint call asks for an adjoint, and it is not known here which memory that accesses */
#include "ad.h"
#include <math.h>

extern double __ad_adjoint_double(void *f, ...);
extern void __ad_adjoint_void(void *f, ...);

static double pulled(double x) { return sin(x) * x; }

static double walk(const double *x) {
    double p = x[0];
    for (int t = 0; t < 20; t++) {
        ad_checkpoint_loop(3);
        double slope =
        __ad_adjoint_double((void *)pulled, p);
        p -= 0.1 * slope;
    }
    return p;
}
void gradient(const double *x, double *xb) { __ad_adjoint_void((void *)walk, x, xb); }
