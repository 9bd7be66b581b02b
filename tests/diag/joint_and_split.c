/* A function whose calls are said to run again, and to be recorded. */
/* ad-error: AD018 - '__ad_split_function_twice' declares 'twice' both joint and split */
#include "requests.h"

static double twice(double x) { return x * x; }
void *__ad_joint_function_twice[] = {(void *)twice};
void *__ad_split_function_twice[] = {(void *)twice};

static double f(double x) { return twice(x) + x; }

int main(void) { return __ad_adjoint_double((void *)f, 1.0) > 0.0; }
