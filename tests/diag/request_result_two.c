/* Two adjoints do not fit one double: such a request needs a prototype that returns a struct of two.
 * ad-flags: -g
 * ad-error: AD013 9:12 '__ad_adjoint' returns 2 value(s) of type double, double, but its prototype returns double */
#include "ad.h"

static double product(double x, double y) { return x * y; }

double derivative(double x, double y) {
    return __ad_adjoint((void *)product, x, y);
}
