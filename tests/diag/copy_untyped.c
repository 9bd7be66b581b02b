/* Nothing says what is copied: neither function nor caller touches it with a type.
 * ad-flags: -g
 * ad-error: AD034 14:5 cannot deduce whether this copy moves floating-point data, integers or pointers */
#include "ad.h"

#include <string.h>

extern void __ad_adjoint_void(void *f, ...);
static void move(void *to, const void *from, unsigned long bytes) {
    memcpy(to, from, bytes);
}

void derivative(double *y, double *yb, const double *x, double *xb, unsigned long bytes) {
    __ad_adjoint_void((void *)move, y, yb, x, xb, bytes);
}
