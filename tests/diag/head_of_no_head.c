/* A head that names what no head generates, and one that names a parameter which the function does not have.
 * ad-flags: -fno-discard-value-names
 * ad-option: -ad-tangent=f(f)/(x)
 * ad-option: -ad-tangent=f_b(xb)/(x)
 * ad-option: -ad-adjoint=f_d(f_d)/(z)
 * ad-error: AD015 - function 'f_b' is not defined in this file, and no head generates it
 * ad-error: AD016 - 'f_d' has no parameter 'z' (3 parameters; it has x, xd, result, f) */
double f(const double *x) { return x[0] * x[1]; }
