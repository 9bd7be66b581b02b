/* A number that is written to memory as text and read again.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD024 15:38 reads a number from text that holds active data */
#include "ad.h"

#include <stdio.h>

static double rounded(double x) {
    char text[32];
    double y = 0;
    snprintf(text, sizeof text, "%.3f", x * x);
    return sscanf(text, "%lf", &y) == 1 ? y + x : 0;
}
double derivative(double x) { return __ad_adjoint((void *)rounded, x); }
