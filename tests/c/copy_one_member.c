/* Structs with arrays and integers in them, copied in part and as a whole. */
#include "requests.h"
struct s { double f0; double f1[3]; int f3; };
static void f(const struct s *s, double *y) { memcpy(y, s->f1 + s->f3 % 3, sizeof(double)); y[0] *= s->f0; }
int main(void) {
    struct s s = {2.0, {1, 3, 5}, 1}, sd = {0.5, {1, 1, 1}, 0}, sb = {0};
    double y = 0, yd = 7, yb = 1;
    __ad_tangent_void((void *)f, &s, &sd, &y, &yd);
    check_close("tangent", yd, 3 * 0.5 + 2.0, 1e-14);
    __ad_adjoint_void((void *)f, &s, &sb, &y, &yb);
    check_close("f0", sb.f0, 3.0, 1e-14);
    check_close("f1", sb.f1[1], 2.0, 1e-14);
    return check_done();
}
