/* Without -g there are no lines: the message shows the instruction, and says how to get its line.
 * ad-error: AD021 13:9 @elsewhere(double
 * ad-error: AD021 13:9 ; compile with -g for its line] [requested in */
#include "ad.h"

double elsewhere(double x);
static inline double inner(double x) { return elsewhere(x) * x; }
static double outer(double x) {
    return inner(x) + x;
}

double derivative(double x) { return
        __ad_adjoint((void *)outer, x);
}
