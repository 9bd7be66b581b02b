/* An active argument that is a global variable, which the function also reaches which the function also uses by name: not half a gradient. */
/* ad-flags: -g */
/* ad-error: AD032 10:5 ', which the function also uses by name: the variable would have two shadows */
extern void __ad_adjoint_void(void *, ...);

double gx[2];
static void f(const double *x, double *y) { *y = gx[0] * x[1]; }

void gradient(double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)f, gx, xb, y, yb);
}
