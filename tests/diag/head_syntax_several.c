/* Heads that do not parse.
 * ad-option: -ad-adjoint=f(y)
 * ad-option: -ad-adjoint=f()/(x)
 * ad-option: -ad-adjoint=f(y)/(x) z
 * ad-option: -ad-adjoint=f(y,,z)/(x)
 * ad-option: -ad-tangent=f/(x)
 * ad-error: AD017 - 'f(y)' lacks '/' between dependents and independents
 * ad-error: AD017 - 'f()/(x)' names no function, no dependent or no independent
 * ad-error: AD017 - unexpected 'z' after the head
 * ad-error: AD017 - an empty name in '(y, , z)'
 * ad-error: AD017 - remedy: write it like f(y)/(x, z), f($2)/($1) or f */
void f(const double *x, double *y) { *y = *x * *x; }
