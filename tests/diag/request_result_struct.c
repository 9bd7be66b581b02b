/* The prototype's struct holds three values where two adjoints are returned.
 * ad-flags: -g
 * ad-error: AD013 11:12 '__ad_adjoint_three' returns 2 value(s) */
#include "ad.h"

struct three { double x, y, z; };
extern struct three __ad_adjoint_three(void *f, ...);
static double product(double x, double y) { return x * y; }

struct three derivative(double x, double y) {
    return __ad_adjoint_three((void *)product, x, y);
}
