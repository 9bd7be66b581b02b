/* Patterns: what carries no sets of inputs is refused.
 * ad-flags: -g
 * ad-error: AD014 25:5 a pattern has no directions
 * ad-error: AD014 26:5 a pattern is asked of code that computes with reals of 16 bits
 * ad-error: AD014 27:5 a pattern is asked of code that adds to memory atomically
 * ad-error: AD021 28:5 a pattern is asked of code that calls 'fill', which has a registered derivative and accesses memory
 */
#include "ad.h"
extern void __ad_pattern_void(void *f, ...);
static double square(const double *x, double y) { return x[0] * x[0] * y; }
static double shorter(const double *x) {
    _Float16 h = (_Float16)x[0];
    return (double)(h * h);
}
static double sum;
static double atomically(const double *x) {
    __atomic_fetch_add(&sum, x[0], __ATOMIC_SEQ_CST);
    return sum;
}
void fill(double *x);
void fill_tangent(double *x, double *xd) { x[0] = 1.0, xd[0] = 0.0; }
void *__ad_register_tangent_fill[] = {(void *)fill, (void *)fill_tangent};
static double filled(double *x) { return fill(x), x[0]; }
void all(double *x, double *xs, double *xt) {
    __ad_pattern_void((void *)square, ad_width, 2, x, xs, xt, 1.0, 0.0, 0.0);
    __ad_pattern_void((void *)shorter, x, xs);
    __ad_pattern_void((void *)atomically, x, xs);
    __ad_pattern_void((void *)filled, x, xs);
}
