/* The folder of the header to write does not exist.
 * ad-option: -ad-adjoint=square
 * ad-option: -ad-header=/no/such/folder/square_b.h
 * ad-error: AD002 - cannot write '/no/such/folder/square_b.h' */
double square(double x) { return x * x; }
