/* The same table with -fno-math-errno, where the compiler turns calls into intrinsics of its own.
 * ad-flags: -fno-math-errno -fno-trapping-math */
#include "libm_double.c"
