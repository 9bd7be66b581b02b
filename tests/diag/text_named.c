/* Text of an active number becomes known by a name, and whoever reads it there would take it for constant.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD024 16:38 'setenv' makes text that holds active data visible to other files */
#include "ad.h"

#include <stdio.h>
#include <stdlib.h>

static double f(double x) {
    char text[40];
    sprintf(text, "%.17g", x * x);
    setenv("FACTOR", text, 1);
    return atof(getenv("FACTOR"));
}
double derivative(double x) { return __ad_adjoint((void *)f, x); }
