/* A vector cannot be an active by-value argument of a request; constant it can be, and memory of vectors is active.
 * ad-flags: -g
 * ad-error: AD030 10:9 argument 1 of 'product' has type <4 x float>: not differentiated yet */
#include "ad.h"

typedef float four __attribute__((vector_size(16)));
static float product(four v, float x) { return v[0] * v[1] * x; }
static float behind(const four *v, float x) { return v[0][1] * x; }
float active(four v, float x) { return (float)
        __ad_adjoint((void *)product, v, x);
}
float constant(four v, float x) { return (float)__ad_adjoint((void *)product, ad_const, v, x); }
float pointer(const four *v, four *vb, float x) { return (float)__ad_adjoint((void *)behind, v, vb, x); }
