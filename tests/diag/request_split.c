/* Split mode (the two sweeps apart) is not supported yet.
 * ad-flags: -g
 * ad-error: AD014 10:12 '__ad_augmented': split mode is not supported yet */
#include "ad.h"

extern void *__ad_augmented(void *f, ...);
static double square(double x) { return x * x; }

void *forward(double x) {
    return __ad_augmented((void *)square, x);
}
