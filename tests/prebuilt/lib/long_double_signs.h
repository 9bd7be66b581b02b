/* Sign and exponent of a long double, changed as integers. */
enum change { BYTE, TWO_BYTES, FOUR_BYTES, MAGNITUDE, SIGNIFICAND, OVERWRITTEN, SCALED, UNCHANGED, CHANGES };
/* The first two change the sign, by one byte to four; then the absolute value; the exponent made that of one, sign kept or not; eight times as large; only looked at. */
void long_double_changed(const long double *x, long double *y, enum change change);
/* The same of one that is passed by value, each by a function of its own: compilers change it where it lies among the arguments. */
#define WITH_ALL_CHANGES(X) X(BYTE) X(TWO_BYTES) X(FOUR_BYTES) X(MAGNITUDE) X(SIGNIFICAND) X(OVERWRITTEN) X(SCALED) X(UNCHANGED)
#define DECLARE(change) long double long_double_##change(long double x);
WITH_ALL_CHANGES(DECLARE)
