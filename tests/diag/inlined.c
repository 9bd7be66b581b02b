/* A cause in a function that is inlined: its line, and those of the calls that lead to it. The copies are one message.
 * ad-flags: -g
 * ad-error: AD021 19:9 inlined.c:9:12, inlined at
 * ad-error: AD021 19:9 inlined.c:11:12, inlined at
 * ad-error: AD021 19:9 inlined.c:14:12, and in 1 other place] [requested at */
#include "ad.h"
double elsewhere(double x);
static inline double inner(double x) { return
           elsewhere(x) * x; }
static inline double middle(double x) { return
           inner(x) + x; }
static double outer(double x) {
    return
           middle(x) *
           middle(2.0 * x);
}

double derivative(double x) { return
        __ad_adjoint((void *)outer, x);
}
