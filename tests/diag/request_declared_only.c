/* The function to differentiate is only declared here: its body is in another file.
 * ad-flags: -g
 * ad-error: AD010 10:12 function 'elsewhere' has no body in this file */
#include "ad.h"

double elsewhere(double x);

double derivative(double x) {
    /* Neither a body nor a rule can stand in for it. */
    return __ad_adjoint((void *)elsewhere, x);
}
