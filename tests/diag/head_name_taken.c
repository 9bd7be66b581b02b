/* The name that a head generates is taken.
 * ad-option: -ad-adjoint=square
 * ad-error: AD015 - this file already defines 'square_b' */
double square(double x) { return x * x; }
void square_b(double x, double *xb, double squareb) { *xb += 2.0 * x * squareb; }
