/* Halves of a real that change places, and one that goes elsewhere alone: what they make is no real of which the derivative is known.
 * ad-flags: -g -fno-strict-aliasing
 * ad-error: AD039 29:5 a part of an active floating-point value is moved as an integer
 * ad-error: AD039 29:5 part_of_real.c:12:
 * ad-error: AD039 30:5 part_of_real.c:17: */
#include "ad.h"
extern void __ad_tangent_void(void *f, ...);
extern void __ad_adjoint_void(void *f, ...);

static __attribute__((noinline)) void turn(int *p, int n) {
    for (int i = 0; i < n; i++) {
        int t = p[2 * i]; p[2 * i] = p[2 * i + 1]; p[2 * i + 1] = t;
    }
}
int count = 1;
static __attribute__((noinline)) void take(int *p) {
    for (int i = 0; i < count; i++) p[2 * i + 1] = p[2 * i + 3];
}
static void turned(const double *x, double *y) {
    double a[2] = {x[0] * x[0], x[1]};
    turn((int *)a, 2), turn((int *)a, 2);
    y[0] = a[0] * a[1];
}
static void taken(const double *x, double *y) {
    double a[2] = {x[0] * x[0], x[1]};
    take((int *)a), y[0] = a[0] * a[1];
}
void tangents(double *x, double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)turned, x, xd, y, yd);
    __ad_adjoint_void((void *)taken, x, xd, y, yd);
}
