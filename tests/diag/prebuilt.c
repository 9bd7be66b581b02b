/* What the shadow runtime cannot be given: results that mix reals and pointers in registers, a real beside an integer in one register, structs in memory among a
 * variable number of arguments, and code that would run again.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow,refused=error
 * ad-error: AD021 - function 'variadic' has no body in this file and no derivative rule, and its machine code cannot be differentiated: it takes a variable number of arguments, and structs in memory are among them
 * ad-error: AD021 - function 'mixed' has no body in this file and no derivative rule, and its machine code cannot be differentiated: it returns { double, ptr }
 * ad-error: AD018 - argument 1 of 'packed' is an integer that holds the bits of a real, or of a struct with a real
 * ad-error: AD018 - the result of 'packing' is an integer that holds the bits of a real, or of a struct with a real
 * ad-error: AD021 - function 'refused' has no body in this file and no derivative rule
 * ad-error: AD050 - 'again' exists only as machine code */
#include "ad.h"

struct large { double x[5]; };
struct mixed { double value; double *rest; };
struct packed { float value; int code; };
extern double variadic(int n, ...), refused(double), again(double);
extern struct mixed mixed(double);
extern double packed(struct packed, double);
extern struct packed packing(double);
extern double __ad_adjoint(void *, ...);

static double a(double x) {
    struct large l = {{x, x}};
    return variadic(1, l);
}
static double b(double x) { return mixed(x).value; }
static double c(double x) { return refused(x); }
static double d(double x) {
    for (int i = 0; i < 100; i++) {
        ad_checkpoint_loop(3);
        x = again(x);
    }
    return x;
}
static double e(double x) {
    struct packed p = {(float)x, 1};
    return packed(p, x);
}
static double g(double x) { return packing(x).value; }
double da(double x) { return __ad_adjoint((void *)a, x); }
double db(double x) { return __ad_adjoint((void *)b, x); }
double dc(double x) { return __ad_adjoint((void *)c, x); }
double dd(double x) { return __ad_adjoint((void *)d, x); }
double de(double x) { return __ad_adjoint((void *)e, x); }
double dg(double x) { return __ad_adjoint((void *)g, x); }
