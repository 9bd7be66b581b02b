/* A head's function keeps an active value in a variable of unknown size: the message names the line of the store.
 * ad-flags: -g
 * ad-option: -ad-adjoint=smooth
 * ad-error: AD032 8:13 an active value is stored in memory that has no shadow */
extern double last[];
double smooth(double x) {
    double y = 0.5 * (x + last[0]);
    last[0] = y;
    return y;
}
