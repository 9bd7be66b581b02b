/* An adjoint head of what an adjoint head generates.
 * ad-flags: -fno-discard-value-names
 * ad-option: -ad-adjoint=f(f)/(x)
 * ad-option: -ad-adjoint=f_b(xb)/(x)
 * ad-error: AD014 - the adjoint of code that asks for an adjoint is not supported yet */
double f(const double *x) { return x[0] * x[1]; }
