/* Checkpoint markers in code that never returns: a loop that ends the process, whose steps lead back to where a region begins. No derivative
 * passes there; what is beside it is checkpointed as always. */
#include "requests.h"

/* The loop around the region never ends but by exit. */
static void retry(const double *x) {
    double left = x[0];
    for (int i = 0;; i++) {
        ad_checkpoint_begin();
        left = left * 0.5 + sin(x[1]);
        ad_checkpoint_end();
        if (left < 1e-3 && i > 60) exit(3);
    }
}
static double regions(const double *x) {
    double s = exp(x[0]);
    if (x[1] > 100.0) retry(x);
    ad_checkpoint_begin();
    s = s * x[1] + sin(s);
    ad_checkpoint_end();
    return s * x[0];
}
/* A region on the way to an end that others share. */
static double shared(const double *x) {
    double s = x[0];
    for (int i = 0; i < 4; i++) {
        ad_checkpoint_loop(2);
        s = s * x[1] + 0.1 * i;
        if (s > 1e6) goto failed;
    }
    if (s < -1e6) goto failed;
    return s * s;
failed:
    for (;;) {
        ad_checkpoint_begin();
        s = sqrt(fabs(s)) + 1.0;
        ad_checkpoint_end();
        if (s < 10.0) exit(4);
    }
}
/* Loops inside of loops that never return. */
static double loops(const double *x) {
    double s = x[0] * x[1];
    if (s > 100.0)
        for (;;) {
            for (int i = 0; i < 8; i++) {
                ad_checkpoint_loop(2);
                s = sin(s) * x[1] + i;
            }
            if (s > 0.5) exit(5);
        }
    for (int i = 0; i < 3; i++) {
        ad_checkpoint_loop(1);
        s = s * x[0] + sin(s);
    }
    return s;
}

AD_FUNCTIONAL(regions)
AD_FUNCTIONAL(shared)
AD_FUNCTIONAL(loops)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(regions, 2), CHECK_FUNCTIONAL(shared, 2), CHECK_FUNCTIONAL(loops, 2)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
