/* Requests on library functions themselves: a rule, and no body. */
// ad-i386: none, a rule for functions of two reals reads SSE's registers there
#include <complex.h>
#include "requests.h"

struct two {
    double x, y;
};
extern struct two __ad_adjoint_two(void *f, ...);
extern float __ad_tangent_float(void *f, ...);
extern float __ad_adjoint_float(void *f, ...);
extern long double __ad_tangent_wide(void *f, ...);
extern double __enzyme_autodiff(void *f, ...);
extern double __enzyme_fwddiff(void *f, ...);
extern int enzyme_const, enzyme_dup, enzyme_out;

/* Through a pointer that the function itself names. */
static double chosen(double x) {
    double (*f)(double) = sinh;
    return __ad_adjoint_double((void *)f, x);
}

int main(void) {
    for (int k = 0; k < 4; k++) {
        double x = check_uniform(0.2, 0.9), y = check_uniform(1.5, 2.5);
        check_close("sin", __ad_adjoint_double((void *)sin, x), cos(x), 1e-14);
        check_close("sin once more", __ad_tangent_double((void *)sin, x, 2.0), 2.0 * cos(x), 1e-14);
        struct two b = __ad_adjoint_two((void *)pow, x, y);
        check_close("pow, base", b.x, y * pow(x, y - 1.0), 1e-13);
        check_close("pow, exponent", b.y, log(x) * pow(x, y), 1e-13);
        check_close("pow of a constant", __ad_adjoint_double((void *)pow, ad_const, x, ad_out, y), log(x) * pow(x, y), 1e-13);
        check_close("atan2", __ad_tangent_double((void *)atan2, x, 1.0, y, 3.0), (y - 3.0 * x) / (x * x + y * y), 1e-13);
        check_close("cosf", __ad_tangent_float((void *)cosf, (float)x, 1.0f), -sinf((float)x), 1e-6);
        check_close("expf", __ad_adjoint_float((void *)expf, (float)x), expf((float)x), 1e-6);
        check_close("tanhl", (double)__ad_tangent_wide((void *)tanhl, (long double)x, 1.0L), 1.0 - tanh(x) * tanh(x), 1e-14);
        check_close("log1p", __enzyme_autodiff((void *)log1p, enzyme_out, x), 1.0 / (1.0 + x), 1e-14);
        check_close("erf", __enzyme_fwddiff((void *)erf, enzyme_dup, x, 1.0), 2.0 / sqrt(acos(-1.0)) * exp(-x * x), 1e-13);
        check_close("sinh, by a variable", chosen(x), cosh(x), 1e-14);
        check_close("fma", __ad_tangent_double((void *)fma, x, 1.0, y, 2.0, x, 3.0), y + 2.0 * x + 3.0, 1e-14);
        /* Results through pointers. */
        double s, sd = 0.0, c, cd = 0.0;
        void sincos(double, double *, double *);
        __ad_tangent_void((void *)sincos, x, 1.0, &s, &sd, &c, &cd);
        check_close("sincos, sine", sd, cos(x), 1e-14);
        check_close("sincos, cosine", cd, -sin(x), 1e-14);
        double sb = 1.0, cb = 2.0;
        double xb = __ad_adjoint_double((void *)sincos, x, &s, &sb, &c, &cb);
        check_close("sincos, both", xb, cos(x) - 2.0 * sin(x), 1e-14);
        int exponent;
        check_close("frexp", __ad_adjoint_double((void *)frexp, x + 1.0, ad_const, &exponent), 0.5, 0.0);
    }
    return check_done();
}
