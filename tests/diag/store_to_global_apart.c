/* The same where only a function out of line stores to the variable, and another one reads it. */
/* ad-flags: -g */
/* ad-error: AD032 13:47 global variable 'table' holds active data, but cannot have a shadow */
#include "ad.h"

extern double table[];
__attribute__((noinline)) static void keep(const double *x) { table[3] = x[0]; }
__attribute__((noinline)) static double kept(void) { return table[3]; }
static double through(const double *x) {
    keep(x);
    return kept() * x[1];
}
void derivative(const double *x, double *b) { __ad_adjoint((void *)through, x, b); }
