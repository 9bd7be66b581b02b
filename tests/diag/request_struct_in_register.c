/* A struct {int, float} by value comes in one integer register: its float is not silently constant.
 * ad-flags: -g
 * ad-error: AD030 14:12 argument 2 of 'scaled' is a struct in a register that holds a real: it would be taken as constant */
#include "ad.h"

struct weight {
    int count;
    float value;
};

static double scaled(double x, struct weight w) { return x * w.count * w.value; }

double derivative(double x, struct weight w) {
    return __ad_adjoint((void *)scaled, x, w);
}
