/* What the shadow runtime cannot be given: a variable number of arguments, structs in memory, and code that would run again.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow,refused=error
 * ad-error: AD021 - function 'variadic' has no body here and no derivative rule, and its machine code cannot be differentiated: it takes a variable number of arguments
 * ad-error: AD021 - function 'by_value' has no body here and no derivative rule, and its machine code cannot be differentiated: parameter 1 is a struct
 * ad-error: AD021 - function 'refused' has no body here and no derivative rule
 * ad-error: AD050 - 'again' exists only as machine code */
#include "ad.h"

struct large { double x[5]; };
extern double variadic(int n, ...), by_value(struct large), refused(double), again(double);
extern double __ad_adjoint(void *, ...);

static double a(double x) { return variadic(1, x); }
static double b(double x) {
    struct large l = {{x, x}};
    return by_value(l);
}
static double c(double x) { return refused(x); }
static double d(double x) {
    for (int i = 0; i < 100; i++) {
        ad_checkpoint_loop(3);
        x = again(x);
    }
    return x;
}
double da(double x) { return __ad_adjoint((void *)a, x); }
double db(double x) { return __ad_adjoint((void *)b, x); }
double dc(double x) { return __ad_adjoint((void *)c, x); }
double dd(double x) { return __ad_adjoint((void *)d, x); }
