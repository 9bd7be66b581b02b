/* A parameter passed by value brings nothing back: it cannot be a dependent.
 * ad-option: -ad-adjoint=scale($2)/($1)
 * ad-error: AD016 - parameter '$2' of 'scale' is passed by value: it cannot be a dependent */
void scale(double *x, double a) { x[0] *= a; }
