// A call of a virtual function.
// ad-flags: -g
// ad-error: AD022 12:12 no function of its type in this file has its address taken
#include "ad.h"

struct Law {
    virtual double at(double x) const = 0;
};
static double twice(const Law *law, double x) { return 2.0 * law->at(x); }

double derivative(const Law *law, double x) {
    return __ad_adjoint<double>(twice, ad_const, law, x);
}
