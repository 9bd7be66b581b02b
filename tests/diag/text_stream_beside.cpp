/* The same beside a function of which there is only machine code: it may read what is in the stream.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD024 19:38 reads a number from text that holds active data */
#include "ad.h"

#include <sstream>

extern "C" double lib_scaled(double x);

static double rounded(double x) {
    std::ostringstream out;
    out << lib_scaled(x) * x;
    std::istringstream in(out.str());
    double y = 0;
    in >> y;
    return y + x;
}
double derivative(double x) { return __ad_adjoint<double>((void *)rounded, x); }
