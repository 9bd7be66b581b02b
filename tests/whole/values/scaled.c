#include "values.h"
struct point scaled(struct point p, double scale) {
    struct point q = {p.x * scale, p.y * scale * scale, p.z + scale};
    return q;
}
