/* Directions without a head that could have them.
 * ad-option: -ad-pattern=f
 * ad-option: -ad-directions=4
 * ad-error: AD002 - -ad-directions has no effect: no head asks for a tangent or an adjoint; remedy: add -ad-tangent or -ad-adjoint */
void f(const double *x, double *y) { *y = *x * *x; }
