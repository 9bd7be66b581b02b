/* A marker of Enzyme that is known, but has no counterpart yet.
 * ad-flags: -g
 * ad-error: AD014 11:12 marker 'enzyme_primal_return' is not supported yet */

extern int enzyme_primal_return;
extern double __enzyme_autodiff(void *f, ...);

static double square(double x) { return x * x; }

double derivative(double x) {
    return __enzyme_autodiff((void *)square, enzyme_primal_return, x);
}
