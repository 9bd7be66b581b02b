/* The file declares the generated function in another way than the head generates it: the shadow of a is missing.
 * ad-flags: -fno-discard-value-names
 * ad-option: -ad-adjoint=scale(y)/(x, a)
 * ad-error: AD016 - this file declares 'scale_b' as void (ptr, ptr, double, ptr, ptr), but the head generates void (ptr, ptr, double, ptr, ptr, ptr) */
void scale(const double *x, double a, double *y) { y[0] = a * x[0]; }
void scale_b(const double *x, double *xb, double a, double *y, double *yb);
void pull(const double *x, double *xb, double *y, double *yb) { scale_b(x, xb, 3.0, y, yb); }
