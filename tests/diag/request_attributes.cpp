// Attributes that say something of derivatives where nothing can be made of it are refused, not ignored.
// ad-flags: -g
// ad-error: AD014 - attribute 'enzyme_sparse_accumulate' of 'add(double*, double)' is not supported
// ad-error: AD014 - attribute 'enzyme_inactive' of a parameter, a local variable or a member is not supported
// ad-error: AD014 - attribute 'enzyme_inactive' is neither on a function nor on a variable, but on a CXXRecord
// ad-error: AD018 - gives 'wrong(double, double)' the derivatives of 'sin', which does not have its type, double (double, double)
// ad-error: AD018 - names 'no_such_function', whose partial derivatives are not known
#include "ad.h"

struct __attribute__((enzyme_inactive)) constants { double x; };
__attribute__((enzyme_sparse_accumulate)) static void add(double *x, double y) { *x += y; }
__attribute__((ad_function_like("sin"))) static double wrong(double x, double y) { return x + y; }
__attribute__((enzyme_function_like("no_such_function"))) static double lacking(double x) { return x; }
static double square([[enzyme::inactive]] double x, const constants &c) {
    double y = lacking(wrong(x, c.x));
    add(&y, x);
    return y;
}

double derivative(double x, const constants &c) { return __ad_adjoint<double>(square, x, ad_const, &c); }
