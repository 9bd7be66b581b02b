/* Calls that are given nothing, beside variables that hold active data: one that the function may access, and one that it cannot.
 * ad-flags: -g
 * ad-error: AD021 28:29 function 'sweep' has no body in this file and no derivative rule; it may read 'shared_input', which holds active data
 * ad-error: AD021 29:29 function 'step' has no body in this file and no derivative rule */
#include "ad.h"
double shared_input[2];
static double own, mine;
void sweep(void);
void step(void);
void log_line(void);
__attribute__((noinline)) static double noted(const double *x) {
    log_line();
    return x[0] * x[1];
}
static double first(double x) {
    shared_input[0] = x;
    sweep();
    return shared_input[1];
}
static void steps(void) { step(); }
static double second(double x) { return own = shared_input[1] = x, steps(), own; }
static double third(double x) { return mine = x, log_line(), mine * x; }
static double fourth(const double *x) {
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += noted(x) * x[i], log_line();
    return sum;
}
double a(double x) { return __ad_adjoint((void *)first, x); }
double b(double x) { return __ad_tangent((void *)second, x, 1.0); }
int main(void) {
    double x[3] = {1, 2, 3}, along[3] = {1}, bars[3] = {0};
    __ad_adjoint((void *)fourth, x, bars);
    return __ad_adjoint((void *)third, 2.0) == __ad_tangent((void *)third, 2.0, 1.0) + __ad_tangent((void *)fourth, x, along);
}
