/* The function of a head is declared and called, but not defined here.
 * ad-option: -ad-tangent=square
 * ad-error: AD015 - function 'square' is not defined in this file */
double square(double x);
double twice(double x) { return 2.0 * square(x); }
