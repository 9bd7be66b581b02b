/* Structs copied in a loop whose results are read at an index that depends on data. */
// ad-switches: copies and their types
#include "requests.h"
struct s { double a; double b; double c; int k; };
static double f(double x, double *y) {
    struct s t[3] = {0};
    t[0].b = x;
    for (int i = 0; i < 2; i++) {
        t[0].c = x * t[i].c + x;
        t[1] = t[0];
    }
    return t[y[0] <= 0.1].c;
}
int main(void) {
    double y = 1.0, yb = 0.0;
    extern double __ad_adjoint_typed(double (*f)(double, double *), double, double *, double *);
    check_close("x", __ad_adjoint_typed(f, 2.0, &y, &yb), 1 + 2 * 2.0, 1e-14);
    return check_done();
}
