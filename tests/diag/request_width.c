/* Several directions: not in adjoint mode, not through a user's tangent that works on memory; the number comes first.
 * ad-flags: -g
 * ad-error: AD014 18:5 2 directions at once are not supported yet in adjoint mode
 * ad-error: AD012 19:5 'ad_width' comes after the first argument
 * ad-error: AD012 20:5 'ad_width' is followed by 0, but 1 to 64 directions are possible
 * ad-error: AD011 21:5 the shadow of argument 1 of 'square' is missing
 * ad-error: AD014 22:5 several directions at once through the tangent of 'fill', which works on memory
 * ad-error: AD014 23:5 2 directions at once are not supported yet in adjoint mode
 */
#include "ad.h"
extern void __ad_adjoint_void(void *f, ...), __ad_tangent_void(void *f, ...);
static double square(const double *x, double y) { return x[0] * x[0] * y; }
void fill(double *x);
void fill_tangent(double *x, double *xd) { x[0] = 1.0, xd[0] = 0.0; }
void *__ad_register_tangent_fill[] = {(void *)fill, (void *)fill_tangent};
static double filled(double *x) { return fill(x), x[0]; }
void all(double *x, double *xd, double *other) {
    __ad_adjoint_void((void *)square, ad_width, 2, x, xd, other, ad_const, 1.0);
    __ad_tangent_void((void *)square, ad_dup, x, xd, ad_width, 2, ad_const, 1.0);
    __ad_tangent_void((void *)square, ad_width, 0, x, xd, ad_const, 1.0);
    __ad_tangent_void((void *)square, ad_width, 2, x, xd, ad_const, 1.0);
    __ad_tangent_void((void *)filled, ad_width, 2, x, xd, other);
    __ad_augmented((void *)square, ad_width, 2, x, xd, other, ad_const, 1.0);
}
