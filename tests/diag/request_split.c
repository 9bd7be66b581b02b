/* Split mode: what is missing, at the wrong place, or of the wrong type.
 * ad-flags: -g
 * ad-error: AD011 23:5 the adjoint of the result of 'f' is missing
 * ad-error: AD011 24:5 '__ad_reverse_void' needs the tape of the forward sweep, but the request passes none
 * ad-error: AD011 25:5 the tape has type i32, but a pointer is expected
 * ad-error: AD011 26:5 1 argument(s) too many for 'f' with 1 parameter(s)
 * ad-error: AD012 27:5 'ad_tape' applies to split mode only
 * ad-error: AD011 28:5 'enzyme_allocated' states 4 bytes, but a tape takes 8
 * ad-error: AD012 29:5 'ad_primal_return' does not apply to the reverse sweep
 * ad-error: AD011 30:5 the request passes a tape, but takes none
 * ad-error: AD013 31:12 '__ad_augmented_double' returns ptr, but its prototype returns double
 * ad-error: AD011 32:5 '__enzyme_virtualreverse' must take a pointer and return a pointer
 * ad-error: AD014 33:5 '__enzyme_fwdsplit' is not supported
 */
#include "ad.h"
extern void __ad_reverse_void(void *f, ...);
extern double __ad_adjoint_double(void *f, ...), __ad_augmented_double(void *f, ...);
extern void *__enzyme_virtualreverse(void *f, ...), *__enzyme_fwdsplit(void *f, ...);
extern int enzyme_tape, enzyme_allocated;
static double f(const double *x) { return x[0] * x[0]; }
double sink;
void all(const double *x, double *xb, void *tape) {
    __ad_reverse_void((void *)f, x, xb, tape);
    __ad_reverse_void((void *)f, x, xb, 1.0);
    __ad_reverse_void((void *)f, x, xb, 1.0, 7);
    __ad_reverse_void((void *)f, x, xb, 1.0, tape, 2);
    __ad_adjoint_double((void *)f, ad_tape, tape, x, xb);
    __ad_augmented((void *)f, enzyme_allocated, 4, enzyme_tape, tape, x, xb);
    __ad_reverse_void((void *)f, ad_primal_return, x, xb, 1.0, tape);
    __ad_augmented((void *)f, ad_tape, tape, x, xb);
    sink = __ad_augmented_double((void *)f, x, xb);
    __enzyme_virtualreverse((void *)f, x);
    __enzyme_fwdsplit((void *)f, x, xb);
}
