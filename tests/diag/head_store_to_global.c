/* A head's function keeps an active value in a static variable: the message names the line of the store.
 * ad-flags: -g
 * ad-option: -ad-adjoint=smooth
 * ad-error: AD032 8:10 an active value is stored in memory that has no shadow */
static double last;
double smooth(double x) {
    double y = 0.5 * (x + last);
    last = y;
    return y;
}
