/* An active value goes to a global variable whose size this file does not know: it cannot have a shadow.
 * ad-flags: -g
 * ad-error: AD032 13:12 global variable 'table' holds active data, but cannot have a shadow: its size is not known in this file
 * ad-error: AD032 13:12 an active value is stored in memory that has no shadow (an argument marked constant, or a global variable) */
#include "ad.h"

extern double table[];
static double square(double x) {
    table[3] = x;
    return table[3] * x;
}
double derivative(double x) {
    return __ad_adjoint((void *)square, x);
}
