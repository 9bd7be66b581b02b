/* What is wrong in one direction is said once; what several directions do not support is said of these.
 * ad-flags: -g
 * ad-option: -ad-directions=2
 * ad-option: -ad-adjoint=f(f)/(x)
 * ad-option: -ad-tangent=g(g)/(x)
 * ad-error: AD016 - 'g' has no parameter 'y'
 * ad-option: -ad-adjoint=g(g)/(y)
 * ad-error: AD014 - 'f' reaches memory from before the request through global variables; such memory has one shadow, not 2 */
double *variable;
double f(double *x) { return variable[0] = x[0], variable[0] * variable[0]; }
double g(const double *x) { return x[0] * x[1]; }
