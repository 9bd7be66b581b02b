/* Names that are nearly requests, or requests of another tool, are refused where they are used, not by the linker. Names that only contain
 * such a beginning, and functions with a body, are the user's own.
 * ad-flags: -g
 * ad-error: AD009 25:42 '__ad_adjiont_norm' is not a request; did you mean '__ad_adjoint'?
 * ad-error: AD009 26:42 '__enzyme_autodif' is not a request; did you mean '__enzyme_autodiff'?
 * ad-error: AD009 27:42 '__ad_gradient' is not a request: names that begin with '__ad_' are reserved for requests
 * ad-error: AD014 28:42 '__enzyme_batch' is not supported
 * ad-error: AD009 29:42 'ad_dub' is not a marker; did you mean 'ad_dup'?
 * ad-error: AD014 30:42 marker 'enzyme_dupnonneed' is not supported; did you mean 'enzyme_dupnoneed'?
 * ad-error: AD009 - '__ad_registr_adjoint_f' is not a known declaration; did you mean '__ad_register_adjoint'?
 * ad-error: AD009 - '__ad_gradient' is not a request
 * ad-error: AD009 - the address of '__ad_adjoint_table' is taken
 */
#include "ad.h"

extern int ad_dub, enzyme_dupnonneed;
extern double __ad_adjiont_norm(void *, ...), __enzyme_autodif(void *, ...), __ad_gradient(void *, ...), __enzyme_batch(void *, ...);
extern double __ad_adjoint_table(void *, ...), my__ad_hoc(double);
static double norm(const double *x) { return x[0] * x[0] + x[1] * x[1]; }
static double __ad_own(double x) { return my__ad_hoc(x); }
void *__ad_registr_adjoint_f[] = {(void *)norm};
double (*table[])(void *, ...) = {__ad_adjoint_table};
double (*more[])(void *, ...) = {__ad_gradient};

double a(double *x, double *xb) { return __ad_adjiont_norm((void *)norm, x, xb); }
double b(double *x, double *xb) { return __enzyme_autodif((void *)norm, x, xb); }
double c(double *x, double *xb) { return __ad_gradient((void *)norm, x, xb); }
double d(double *x, double *xb) { return __enzyme_batch((void *)norm, x, xb); }
double e(double *x, double *xb) { return __ad_tangent((void *)norm, ad_dub, x, xb); }
double f(double *x, double *xb) { return __ad_tangent((void *)norm, enzyme_dupnonneed, x, xb); }
double g(double x) { return __ad_own(x); }
