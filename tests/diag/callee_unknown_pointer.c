/* An unknown function that is given active memory.
 * ad-flags: -g
 * ad-error: AD021 13:5 function 'sort' has no body in this file and no derivative rule */
#include "ad.h"

void sort(double *values, int n);
extern void __ad_adjoint_void(void *f, ...);
static void median(double *x, double *y) {
    sort(x, 9);
    y[0] = x[4];
}
void derivative(double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)median, x, xb, y, yb);
}
