/* An option that needs a value, and an image that does not exist: both are reported.
 * ad-option: -ad-adjoint
 * ad-option: -ad-print=plot
 * ad-error: AD002 - -ad-adjoint needs a value
 * ad-error: AD002 - -ad-print: 'plot' is not one of */
double f(double x) { return x * x; }
