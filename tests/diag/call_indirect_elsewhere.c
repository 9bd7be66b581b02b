/* A call through a table, in which a function has no body in this file.
 * ad-flags: -g
 * ad-error: AD022 18:38 may reach functions other than those of its type in this file (1) */
#include "ad.h"

extern double total;
void square(void);
static void twice(void) { total *= 2; }
static void (*const steps[])(void) = {square, twice, square};
volatile int count;

static double run(double x) {
    total = x;
    for (int i = 0; i < count; i++) steps[i]();
    return total;
}

double derivative(double x) { return __ad_adjoint((void *)run, x); }
