/* A choice between an integer in active and one in constant memory. */
#include "requests.h"
struct s { double a; int k; };
static double f(const double *x, struct s *s, const int *c) { return x[0] * s->a * (s->a < 0.2 ? c[0] : s->k); }
int main(void) {
    double x = 1.5, xd = 1.0, xb = 0.0;
    struct s s = {2.0, 3}, sd = {0.5, 0}, sb = {0};
    int c[1] = {1};
    check_close("tangent", __ad_tangent_double((void *)f, &x, &xd, &s, &sd, ad_const, c), 3 * (2.0 + 0.75), 1e-14);
    __ad_adjoint_void((void *)f, &x, &xb, &s, &sb, ad_const, c);
    check_close("x", xb, 6.0, 1e-14), check_close("a", sb.a, 4.5, 1e-14);
    return check_done();
}
