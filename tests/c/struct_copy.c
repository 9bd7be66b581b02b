/* Structs copied as a whole, arrays of structs, and a struct returned by value from a callee. */
// ad-switches: copies and their types
#include "requests.h"

struct point { double x, y; int tag; };

static struct point rotate(struct point p, double angle) {
    struct point q = {cos(angle) * p.x - sin(angle) * p.y, sin(angle) * p.x + cos(angle) * p.y, p.tag + 1};
    return q;
}

static void path(const double *x, double *y) { /* x: angle, then three points */
    struct point points[3], copy[3];
    for (int i = 0; i < 3; i++) {
        points[i].x = x[1 + 2 * i];
        points[i].y = x[2 + 2 * i];
        points[i].tag = i;
    }
    for (int i = 0; i < 3; i++) copy[i] = points[2 - i];
    struct point first = copy[0];
    copy[0] = rotate(copy[1], x[0]);
    copy[1] = first;
    y[0] = copy[0].x * copy[1].y;
    y[1] = copy[0].y + copy[2].x * copy[2].tag + first.x * copy[0].tag;
}
AD_MAP(path)

static void path_jacobian(const double *x, double *J) {
    double c = cos(x[0]), s = sin(x[0]), rx = c * x[3] - s * x[4], ry = s * x[3] + c * x[4];
    memset(J, 0, 14 * sizeof *J);
    J[0] = -ry * x[6];
    J[3] = c * x[6], J[4] = -s * x[6], J[6] = rx;
    J[7] = rx;
    J[7 + 3] = s, J[7 + 4] = c;
    J[7 + 1] = 0.0; /* points[0] ends in copy[2] with tag 0 */
    J[7 + 5] = 2.0;
}

int main(void) {
    check_case c = CHECK_MAP(path, 7, 2);
    c.jacobian = path_jacobian;
    c.tol_closed = 1e-11; /* rx and ry may cancel */
    check_random_points(&c, 4, 0.2, 1.2);
    return check_done();
}
