/* A head for a function that the source does not define.
 * ad-option: -ad-adjoint=gmm(err)/(x)
 * ad-error: AD015 - function 'gmm' is not defined in this file */
double f(double x) { return x * x; }
