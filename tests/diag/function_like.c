/* Functions that cannot be like what the user names; what is said twice.
 * ad-error: AD018 - '__ad_function_like_a' names 'no_such_function', whose partial derivatives are not known
 * ad-error: AD018 - '__enzyme_function_like_b' gives 'b' the derivatives of 'pow', which does not have its type, double (double)
 * ad-error: AD018 - '__ad_function_like_c' gives 'c' the derivatives of 'sin', which does not have its type, float (float)
 * ad-error: AD018 - '__ad_function_like_d' must be an array of a function and a name
 * ad-error: AD018 - '__enzyme_inactivefn_e' declares 'e' as inactive, but another declaration makes it like sin
 * ad-error: AD018 - '__ad_inactive_function_text' has a member that is neither a function nor a variable
 * ad-error: AD018 - '__ad_register_tangent_twice' registers a second tangent of 'f'
 */
#include "ad.h"

double a(double), b(double), e(double);
float c(float);
void *__ad_function_like_a[] = {(void *)a, (void *)"no_such_function"};
void *__enzyme_function_like_b[] = {(void *)b, (void *)"pow"};
void *__ad_function_like_c[] = {(void *)c, (void *)"sin"};
void *__ad_function_like_d[] = {(void *)"sin", (void *)a};
void *__ad_function_like_e[] = {(void *)e, (void *)"sin"};
void *__enzyme_inactivefn_e[] = {(void *)e};
void *__ad_inactive_function_text[] = {(void *)4096};

double f(double x);
double f_tangent(double x, double xd) { return xd; }
void *__ad_register_tangent_once[] = {(void *)f, (void *)f_tangent};
void *__ad_register_tangent_twice[] = {(void *)f, (void *)f_tangent};

static double square(double x) { return x * x; }
double d(double x) { return __ad_adjoint((void *)square, x); }
