/* Adjoints of code that asks for the adjoint of functions which must not run twice.
 * ad-flags: -g
 * ad-error: AD014 - run 'drawn' again: 'rand' may have another result or effect
 * ad-error: AD014 - run 'moved' again: it stores addresses in memory that other code sees */
#include "ad.h"
#include <stdlib.h>

extern double __ad_adjoint_double(void *f, ...);
extern void __ad_adjoint_void(void *f, ...);

static double drawn(double x) { return rand() % 2 ? x * x : x; }
static double slope(double x) { return __ad_adjoint_double((void *)drawn, x); }
double curvature(double x) { return x + __ad_adjoint_double((void *)slope, x); }

struct list { double *now, *next; };
static void moved(struct list *l) { double *now = l->now; l->now = l->next; l->next = now; l->now[0] *= now[0] * now[0]; }
static double moved_twice(const double *x) {
    double a = x[0], b = x[1], ab = 0, bb = 1;
    struct list l = {&a, &b}, lb = {&ab, &bb};
    __ad_adjoint_void((void *)moved, &l, &lb);
    return ab * bb;
}
void gradient(const double *x, double *xb) { __ad_adjoint_void((void *)moved_twice, x, xb); }
