/* A computed goto.
 * ad-flags: -g
 * ad-error: AD040 21:12 a computed goto cannot be reversed yet in function 'interpret' */
#include "ad.h"

static double interpret(const int *code, double x) {
    static const void *const labels[] = {&&stop, &&square, &&twice};
    double y = x;
    goto *labels[*code];
square:
    y = y * y;
    goto *labels[*++code];
twice:
    y = y + y;
    goto *labels[*++code];
stop:
    return y;
}

double derivative(const int *code, double x) {
    return __ad_adjoint((void *)interpret, ad_const, code, x);
}
