/* Functions that the user wants to be joint, and that cannot run twice: an error, although `ad-calls=joint` alone would split their calls.
 * ad-option: -ad-calls=joint
 * ad-flags: -g
 * ad-error: AD050 - 'rand' may have another result or effect when its checkpointed step or joint call runs again
 */
#include "ad.h"
#include <stdlib.h>

__attribute__((noinline)) static double drawn(double x) { return x * x * (rand() % 3); }
void *__ad_joint_function_drawn[] = {(void *)drawn};

static double f(double x) { return drawn(x) * drawn(2.0 * x); }
double request(double x) { return __ad_adjoint((void *)f, x); }
