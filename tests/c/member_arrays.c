/* Structs with arrays and integers in them, copied in part and as a whole. */
#include "requests.h"
struct s { int k; double a[2], b; };
static void f(const double *x, double *y) {
    struct s v[3] = {0};
    for (int i = 0; i < 2; i++) v[1].a[i] = 0.5;
    v[1].a[0] = x[0];
    memcpy(v[0].a, v[1].a, 2 * sizeof(double));
    y[0] = v[0].a[0] * v[0].a[1];
}
AD_MAP(f)
int main(void) { check_case c = CHECK_MAP(f, 1, 1); check_random_points(&c, 2, 0.5, 1.5); return check_done(); }
