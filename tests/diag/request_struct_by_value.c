/* A struct so large that it is passed in memory.
 * ad-flags: -g
 * ad-error: AD014 10:12 'length' takes or returns a struct by value: not supported yet */
#include "ad.h"

struct point { double x, y, z; };
static double length(struct point p) { return p.x * p.x + p.y * p.y + p.z * p.z; }

double derivative(struct point p, struct point *pb) {
    return __ad_adjoint((void *)length, &p, pb);
}
