/* More directions than a derivative has.
 * ad-option: -ad-adjoint=f
 * ad-option: -ad-directions=65
 * ad-error: AD002 - -ad-directions: '65' is not a number from 1 to 64 */
void f(const double *x, double *y) { *y = *x * *x; }
