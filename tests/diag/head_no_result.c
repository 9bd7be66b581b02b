/* The function's own name stands for its result, which this one does not have.
 * ad-option: -ad-adjoint=scale(scale)/($1)
 * ad-error: AD016 - 'scale' returns no floating-point value */
void scale(double *x, double a) { x[0] *= a; }
