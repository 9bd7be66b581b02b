/* Numbers of directions that are none, and a pattern, which has no directions.
 * ad-flags: -fno-discard-value-names
 * ad-option: -ad-adjoint=f(y)/(x)*0
 * ad-option: -ad-tangent=f(y)/(x) * 65
 * ad-option: -ad-tangent=g*100
 * ad-option: -ad-pattern=f(y)/(x)*4
 * ad-error: AD017 - '*0' asks for 0 directions, but 1 to 64 are possible
 * ad-error: AD017 - '*65' asks for 65 directions, but 1 to 64 are possible
 * ad-error: AD017 - '*100' asks for 100 directions, but 1 to 64 are possible
 * ad-error: AD014 - a pattern has no directions: its sets hold all inputs */
void f(const double *x, double *y) { *y = *x * *x; }
double g(double x) { return x * x; }
