/* Active memory in a segment, and at an address that is a number: neither has a shadow.
 *
 * ad-flags: -g
 * ad-error: AD030 16:56 a pointer in address space 256 points to active memory, which has no shadow there
 * ad-error: AD032 17:34 an active value is stored at a fixed numeric address
 */
#include "ad.h"

typedef __attribute__((address_space(256))) double in_segment;
static double square(const in_segment *x) { return *x * *x; }
static double device(double x) {
    *(volatile double *)0x7000 = x;
    return x * x;
}
extern double __ad_adjoint_segment(void *f, ...);
double segment(in_segment *x, in_segment *xb) { return __ad_adjoint_segment((void *)square, x, xb); }
double number(double x) { return __ad_adjoint((void *)device, x); }
