/* A head that names an adjoint in several directions.
 * ad-flags: -fno-discard-value-names
 * ad-option: -ad-adjoint=f(f)/(x)*3
 * ad-option: -ad-tangent=f_bv(xb2)/(x)
 * ad-error: AD014 - other heads or requests differentiate the adjoint in several directions that this head generates: not supported yet */
double f(const double *x) { return x[0] * x[1]; }
