/* Declarations of Enzyme's interface that are not supported are refused, not ignored.
 * ad-error: AD014 - '__enzyme_register_splitderivative_f': this declaration is not supported
 * ad-error: AD014 - '__enzyme_unheard_of': this declaration is not supported
 */
#include "ad.h"

static double square(double x) { return x * x; }
void *__enzyme_register_splitderivative_f[] = {(void *)square, (void *)square, (void *)square};
int __enzyme_unheard_of = 1;
double d(double x) { return __ad_adjoint((void *)square, x); }
