/* Heads that name a parameter which the function does not have, by name and by position.
 * ad-flags: -fno-discard-value-names
 * ad-option: -ad-adjoint=f(y)/(z)
 * ad-option: -ad-tangent=f($3)/($1)
 * ad-error: AD016 - no parameter 'z'
 * ad-error: AD016 - no parameter '$3' */
void f(const double *x, double *y) { *y = *x * *x; }
