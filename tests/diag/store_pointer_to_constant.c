/* A pointer to active memory goes to memory without a shadow: what is loaded back would have none.
 * ad-flags: -g
 * ad-error: AD032 15:5 a pointer to active memory is stored in memory that has no shadow */
#include "ad.h"

struct view { double *data; int n; };
extern void __ad_adjoint_void(void *f, ...);

static void attach(struct view *view, double *x) {
    view->data = x;
    view->data[0] *= view->data[1];
}

void derivative(struct view *view, double *x, double *xb) {
    __ad_adjoint_void((void *)attach, ad_const, view, x, xb);
}
