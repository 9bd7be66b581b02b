/* A number that the code itself reads, digit by digit.
 * ad-flags: -g
 * ad-error: AD024 14:38 a number is computed from the digits of text that holds active data: the derivative is lost */
#include "ad.h"

#include <stdio.h>

static double whole(double x) {
    char text[32];
    snprintf(text, sizeof text, "%.0f", x * x);
    return (text[0] - '0') * x;
}

double derivative(double x) { return __ad_adjoint((void *)whole, x); }
