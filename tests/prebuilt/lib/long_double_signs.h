/* Sign and exponent of long doubles, changed as integers. `way`: a byte, two bytes, four bytes; the exponent made that of one; eight times as large. */
void long_double_changed(const long double *x, long double *y, int way);
enum { SIGNS = 3, WAYS = 5 };
