/* A number that goes through a string of C++ and two streams.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD024 17:38 reads a number from text that holds active data */
#include "ad.h"

#include <sstream>

static double rounded(double x) {
    std::ostringstream out;
    out << x * x;
    std::istringstream in(out.str());
    double y = 0;
    in >> y;
    return y + x;
}
double derivative(double x) { return __ad_adjoint<double>((void *)rounded, x); }
