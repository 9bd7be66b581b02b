/* One function that moves bytes for two callers, for which they are something else: not guessed.
 * ad-flags: -g
 * ad-levels: O1 O2 O3
 * ad-error: AD034 13:77 cannot deduce whether this copy moves floating-point data, integers or pointers */
#include <ad.h>
#include <string.h>

struct record {
    double value;
    double *link;
};
typedef void *any;
__attribute__((noinline)) static void move(any to, any from, size_t size) { memmove(to, from, size); }

static double model(const double *x) {
    double copy[2];
    struct record from = {x[0], copy}, to;
    move(copy, (any)x, sizeof copy);
    move(&to, &from, sizeof from);
    return to.value * to.link[1];
}

extern void __ad_adjoint_void(void *f, ...);
void gradient(const double *x, double *xb) { __ad_adjoint_void((void *)model, x, xb); }
