/* An integer cannot be an independent.
 * ad-option: -ad-adjoint=power(power)/($1, $2)
 * ad-error: AD016 - parameter '$2' of 'power' holds no floating-point data */
double power(double x, int n) {
    double y = 1.0;
    while (n-- > 0) y *= x;
    return y;
}
