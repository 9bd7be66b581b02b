/* Functions that cannot allocate or free as the user says.
 * ad-error: AD018 - '__ad_allocation_like_a' must be an array of the function that allocates, the index of its size parameter
 * ad-error: AD018 - '__ad_allocation_like_b' declares that 'take' allocates memory, but its type is ptr (i64)
 * ad-error: AD018 - '__enzyme_allocation_like_c' declares that 'number' allocates memory, but its type is double (i64)
 * ad-error: AD018 - '__enzyme_allocation_like_d' declares that 'number' frees memory, but its type is double (i64)
 * ad-error: AD018 - '__enzyme_allocation_like_e' has a third member other than "-1"
 */
#include "ad.h"

void *take(unsigned long);
double number(unsigned long);
void give(void *);
void *__ad_allocation_like_a[] = {(void *)take, (void *)0};
void *__ad_allocation_like_b[] = {(void *)take, (void *)1, (void *)"-1", (void *)give};
void *__enzyme_allocation_like_c[] = {(void *)number, (void *)0, (void *)"-1", (void *)give};
void *__enzyme_allocation_like_d[] = {(void *)take, (void *)0, (void *)"-1", (void *)number};
void *__enzyme_allocation_like_e[] = {(void *)take, (void *)0, (void *)"5", (void *)give};
static double square(double x) { return x * x; }
double d(double x) { return __ad_adjoint((void *)square, x); }
