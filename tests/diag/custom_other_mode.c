/* A function with a rule for one mode is not differentiated in the other: its body may not say what the rule says.
 * ad-flags: -g
 * ad-error: AD021 17:43 function 'cube' has a registered tangent, but no registered adjoint
 * ad-error: AD021 18:43 function 'root' has a registered adjoint, but no registered tangent
 */
#include "ad.h"

static double cube(double x) { return x * x * x; }
static double cube_tangent(double x, double xd) { return 3.0 * x * x * xd; }
void *__ad_register_tangent_cube[] = {(void *)cube, (void *)cube_tangent};
double root(double x);
double root_augmented(double x) { return root(x); }
double root_reverse(double x, double yb) { return 0.5 * yb / root(x); }
void *__ad_register_adjoint_root[] = {(void *)root, (void *)root_augmented, (void *)root_reverse};
static double f(double x) { return cube(x) * x; }
static double g(double x) { return root(x) * x; }
double adjoint_of_cube(double x) { return __ad_adjoint((void *)f, x); }
double tangent_of_root(double x) { return __ad_tangent((void *)g, x, 1.0); }
