/* Calls that are given nothing, beside variables that hold active data: one that the function may access, and one that it cannot.
 * ad-flags: -g
 * ad-error: AD021 19:29 function 'sweep' has no body here and no derivative rule; it may read 'shared_input', which holds active data
 * ad-error: AD021 20:29 function 'step' has no body here and no derivative rule */
#include "ad.h"
double shared_input[2];
static double own, mine;
void sweep(void);
void step(void);
void log_line(void);
static double first(double x) {
    shared_input[0] = x;
    sweep();
    return shared_input[1];
}
static void steps(void) { step(); }
static double second(double x) { return own = shared_input[1] = x, steps(), own; }
static double third(double x) { return mine = x, log_line(), mine * x; }
double a(double x) { return __ad_adjoint((void *)first, x); }
double b(double x) { return __ad_tangent((void *)second, x, 1.0); }
int main(void) { return __ad_adjoint((void *)third, 2.0) == __ad_tangent((void *)third, 2.0, 1.0); }
