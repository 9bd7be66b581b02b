/* One function with two numbers of directions; a name that the file has itself; a prototype with too few shadows.
 * ad-flags: -fno-discard-value-names
 * ad-option: -ad-adjoint=f(f)/(x)*3
 * ad-option: -ad-adjoint=f(f)/(x)*4
 * ad-option: -ad-tangent=g*2
 * ad-option: -ad-tangent=h(h)/(x)*2
 * ad-error: AD015 - another head already generates 'f_bv' [requested by -ad-adjoint='f(f)/(x)*4']
 * ad-error: AD015 - this file already defines 'g_dv'
 * ad-error: AD016 - this file declares 'h_dv' as void (ptr, ptr, ptr, ptr), but the head generates void (ptr, ptr, ptr, ptr, ptr) */
double f(const double *x) { return x[0] * x[1]; }
double g(double x) { return x * x; }
double g_dv(double x) { return 2 * x; }
double h(const double *x) { return x[0] * x[1]; }
void h_dv(const double *x, const double *xd, double *hd, double *value);
void pull(const double *x, const double *xd, double *hd, double *value) { h_dv(x, xd, hd, value); }
