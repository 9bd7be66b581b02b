/* A head that does not parse.
 * ad-option: -ad-adjoint=f(y/(x)
 * ad-error: AD017 - lacks */
void f(const double *x, double *y) { *y = *x * *x; }
