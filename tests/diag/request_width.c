/* Several directions: the number comes first, there are as many shadows; not through a user's derivatives that work on memory or keep a
 * tape, not through variables to memory from before the request.
 * ad-flags: -g
 * ad-error: AD012 33:5 'ad_width' must stand before the first argument
 * ad-error: AD012 34:5 'ad_width' asks for 0 directions, but 1 to 64 are possible
 * ad-error: AD011 35:5 the shadow of argument 1 of 'square' is missing
 * ad-error: AD014 36:5 the request has several directions, but the registered tangent of 'fill' accesses memory
 * ad-error: AD014 37:5 the request has several directions, but the registered adjoint of 'fill' accesses memory
 * ad-error: AD014 38:5 the request has several directions, but the registered adjoint of 'kept' keeps a tape, which its reverse sweep may free
 * ad-error: AD014 39:5 'varies' reaches memory from before the request through global variables; such memory has one shadow, not 2
 * ad-error: AD014 40:5 'varies' reaches memory from before the request through global variables; such memory has one shadow, not 2
 * ad-error: AD011 41:5 the shadow of argument 1 of 'square' is missing
 * ad-error: AD011 42:5 the adjoint of the result of 'square' is missing
 */
#include "ad.h"
extern void __ad_adjoint_void(void *f, ...), __ad_tangent_void(void *f, ...), __ad_reverse_void(void *f, ...);
static double square(const double *x, double y) { return x[0] * x[0] * y; }
void fill(double *x);
void fill_tangent(double *x, double *xd) { x[0] = 1.0, xd[0] = 0.0; }
void fill_augmented(double *x, double *xb) { x[0] = 1.0, (void)xb; }
void fill_reverse(double *x, double *xb) { (void)x, xb[0] = 0.0; }
void *__ad_register_tangent_fill[] = {(void *)fill, (void *)fill_tangent};
void *__ad_register_adjoint_fill[] = {(void *)fill, (void *)fill_augmented, (void *)fill_reverse};
static double filled(double *x) { return fill(x), x[0]; }
double kept(double x);
void *kept_augmented(double x) { return (void)x, (void *)0; }
double kept_reverse(double x, double b, void *tape) { return (void)tape, x * b; }
void *__ad_register_adjoint_kept[] = {(void *)kept, (void *)kept_augmented, (void *)kept_reverse};
static double keeps(double *x) { return kept(x[0]); }
double *variable;
static double varies(double *x) { return variable[0] = x[0], variable[0] * variable[0]; }
void all(double *x, double *xd, double *other, void *tape) {
    __ad_tangent_void((void *)square, ad_dup, x, xd, ad_width, 2, ad_const, 1.0);
    __ad_tangent_void((void *)square, ad_width, 0, x, xd, ad_const, 1.0);
    __ad_tangent_void((void *)square, ad_width, 2, x, xd, ad_const, 1.0);
    __ad_tangent_void((void *)filled, ad_width, 2, x, xd, other);
    __ad_adjoint_void((void *)filled, ad_width, 2, x, xd, other);
    __ad_adjoint_void((void *)keeps, ad_width, 2, x, xd, other);
    __ad_adjoint_void((void *)varies, ad_width, 2, x, xd, other);
    __ad_augmented((void *)varies, ad_width, 2, x, xd, other);
    __ad_adjoint_void((void *)square, ad_width, 2, x, xd, ad_const, 1.0);
    __ad_reverse_void((void *)square, ad_width, 2, x, xd, other, ad_const, 1.0, 1.0, tape);
}
