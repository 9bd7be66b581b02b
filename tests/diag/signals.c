/* The kernel calls a handler, which no derivative follows. What no function of the program handles may stay.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD040 23:38 'signal' (signal handlers) runs other code
 * ad-error: AD040 23:38 'raise' (signal handlers) runs other code */
#include "ad.h"

#include <signal.h>

static double kept, got;
static void handler(int number) {
    (void)number;
    got = kept * kept;
}
static double f(double x) {
    kept = x;
    signal(SIGUSR2, SIG_IGN);
    signal(SIGUSR1, handler);
    signal(SIGUSR2, SIG_DFL);
    raise(SIGUSR1);
    return got;
}
double derivative(double x) { return __ad_adjoint((void *)f, x); }
