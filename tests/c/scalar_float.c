/* A float by value: C promotes it to double on its way through `...`; a typed prototype passes it as it is. */
#include "requests.h"

extern float __ad_tangent_float(void *f, ...);
extern float __ad_adjoint_float(void *f, ...);
extern float __ad_tangent_typed(float (*f)(float), float x, float xd);
extern float __ad_adjoint_typed(float (*f)(float), float x);

static float poly(float x) { return x * x * x - 2.0f * x; }

int main(void) {
    for (int i = 0; i < 8; i++) {
        float x = (float)check_uniform(1.0, 3.0), xd = (float)check_uniform(0.5, 1.5);
        double want = 3.0 * x * x - 2.0;
        /* Four roundings of 2^-24 in float, and 3 x^2 - 2 cancels by at most a factor 5 over [1, 3]. */
        check_close("adjoint through ...", __ad_adjoint_float((void *)poly, x), want, 2e-6);
        check_close("tangent through ...", __ad_tangent_float((void *)poly, x, xd), want * xd, 2e-6);
        check_close("adjoint, typed", __ad_adjoint_typed(poly, x), want, 2e-6);
        check_close("tangent, typed", __ad_tangent_typed(poly, x, xd), want * xd, 2e-6);
        double left = (double)__ad_tangent_float((void *)poly, x, xd), right = (double)xd * __ad_adjoint_typed(poly, x);
        check_close("dot product", left, right, 1e-6);
    }
    return check_done();
}
