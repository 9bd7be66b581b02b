/* A rule that nothing uses: the user expects something that does not happen.
 * ad-error: AD019 - '__ad_register_tangent_cube' is not used: no differentiated code in this file calls 'cube' by name
 * ad-error: AD019 - '__enzyme_function_like_cosine' is not used: no differentiated code in this file calls 'cosine' by name
 */
#include "ad.h"

static double cube(double x) { return x * x * x; }
static double cube_tangent(double x, double xd) { return 3.0 * x * x * xd; }
void *__ad_register_tangent_cube[] = {(void *)cube, (void *)cube_tangent};

double cosine(double x);
void *__enzyme_function_like_cosine[] = {(void *)cosine, (void *)"cos"};

static double square(double x) { return x * x; }
double d(double x) { return __ad_adjoint((void *)square, x) + cube(x) + cosine(x); }
