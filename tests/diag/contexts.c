/* Another context computes, on a stack of its own.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow,swapcontext=inactive
 * ad-error: AD040 16:38 'swapcontext' (contexts and coroutines) runs other code */
#include "ad.h"

#include <ucontext.h>

static ucontext_t here, there;
static double kept;
static double resumed(double x) {
    kept = x;
    swapcontext(&here, &there);
    return kept * x;
}
double derivative(double x) { return __ad_adjoint((void *)resumed, x); }
