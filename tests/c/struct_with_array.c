/* A struct with an array in it, a member that nothing accesses, copied as a whole. */
// ad-open: a parameter that is stored to a struct first of all
#include "requests.h"
struct s { double a[3]; size_t k; double b; long l; };
static double f(double x, double z, int n) {
    struct s t[2] = {0}, u = {0};
    u.a[n % 3] = x;
    u.b = z;
    u.k = 2;
    t[n & 1] = u;
    return t[0].a[n % 3] * t[0].b * (double)t[0].k;
}
struct two { double a, b; };
extern struct two __ad_adjoint_two(double (*f)(double, double, int), double, double, int);
extern double __ad_tangent_typed(double (*f)(double, double, int), double, double, double, double, int);
int main(void) {
    struct two r = __ad_adjoint_two(f, 2.0, 3.0, 4);
    check_close("x", r.a, 6.0, 1e-14), check_close("z", r.b, 4.0, 1e-14);
    check_close("tangent", __ad_tangent_typed(f, 2.0, 1.0, 3.0, 0.5, 4), 8.0, 1e-14);
    return check_done();
}
