/* A pointer to constant memory is stored where pointers to active memory are expected.
 * ad-flags: -g
 * ad-error: AD033 15:5 a pointer may point to memory with a shadow or to memory without one */
#include "ad.h"

struct pair { const double *a, *b; };
extern void __ad_adjoint_void(void *f, ...);

static void fill(struct pair *pair, const double *c, double *y) {
    pair->b = c;
    y[0] = pair->a[0] * pair->b[0];
}

void derivative(struct pair *pair, struct pair *pairb, const double *c, double *y, double *yb) {
    __ad_adjoint_void((void *)fill, pair, pairb, ad_const, c, y, yb);
}
