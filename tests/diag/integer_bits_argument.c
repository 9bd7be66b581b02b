/* Bits of an argument that nothing in the function takes for a real: the caller's variables show what they are. */
/* ad-flags: -g */
/* ad-error: AD031 16:5 integer arithmetic on the bits of an active floating-point value */
/* ad-error: AD031 21:5 integer arithmetic on the bits of an active floating-point value */
#include <stdint.h>
#include <string.h>
extern void __ad_tangent_void(void *, ...);
extern void __ad_adjoint_void(void *, ...);

static void root(const double *x, double *y) {
    int64_t u;
    memcpy(&u, x, 8), u = 0x1ff8000000000000 + (u >> 1), memcpy(y, &u, 8);
}
double slope(void) {
    double x[1] = {0.7}, dx[1] = {1}, y[1], dy[1] = {0};
    __ad_tangent_void((void *)root, x, dx, y, dy);
    return dy[0];
}
double filled(double *x, double *xb, double *y, double *yb, int n) {
    for (int i = 0; i < n; i++) x[i] = 1.0 / (i + 1), yb[i] = 1;
    __ad_adjoint_void((void *)root, x, xb, y, yb);
    return xb[0];
}
