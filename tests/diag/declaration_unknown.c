/* Declarations of Enzyme's interface that are not supported are refused, not ignored.
 * ad-error: AD014 - '__enzyme_allocation_like_pool': allocation functions of the user's own: not supported yet
 * ad-error: AD014 - '__enzyme_register_splitderivative_f': this declaration: not supported yet
 */
#include "ad.h"

void *pool(unsigned long);
void pool_free(void *);
void *__enzyme_allocation_like_pool[] = {(void *)pool, (void *)0, (void *)"-1", (void *)pool_free};
static double square(double x) { return x * x; }
void *__enzyme_register_splitderivative_f[] = {(void *)square, (void *)square, (void *)square};
double d(double x) { return __ad_adjoint((void *)square, x); }
