/* A sum that is there to round, where the unit rounds when it stores: it is unknown whether it does. */
/* ad-flags: -m32 -march=i686 -g */
/* ad-option: -ad-adjoint=f */
/* ad-error: AD037 - an instruction without a derivative rule uses active data */
double f(double x) {
    const double magic = 6755399441055744.0; /* 1.5 * 2^52 */
    double whole = (x * 1.4426950408889634 + magic) - magic;
    return (x - whole) * x;
}
