/* A copy that LLVM spells as an integer, of memory that nothing in the function uses as a real: refused in adjoint mode. */
/* ad-flags: -g */
/* ad-error: AD034 9:5 cannot deduce */
#include <string.h>
extern void __ad_adjoint_void(void *, ...);

static void move(const double *x, double *y) { memcpy(y, x, sizeof *y); }
void gradient(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)move, x, xb, y, yb);
}
