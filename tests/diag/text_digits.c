/* A number that the code itself reads, digit by digit.
 * ad-flags: -g
 * ad-error: AD024 14:38 a number that is computed from digits of text that holds active data */
#include "ad.h"

#include <stdio.h>

static double whole(double x) {
    char text[32];
    snprintf(text, sizeof text, "%.0f", x * x);
    return (text[0] - '0') * x;
}

double derivative(double x) { return __ad_adjoint((void *)whole, x); }
