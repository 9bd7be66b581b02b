#include <math.h>
#include "values.h"
double length(struct point p, double scale) {
    struct point q = scaled(p, scale);
    return sqrt(q.x * q.x + q.y * q.y + q.z * q.z + 1.0);
}
void store_length(const struct point *p, const double *scale, double *result) { *result = length(*p, *scale); }
