/* A pointer stored in memory: its shadow is stored in the shadow memory. A struct that owns an array. */
// ad-switches: aliasing
#include "requests.h"

enum { N = 4 };

struct vector { int length; double *data; };

static double norm(const struct vector *v) {
    double sum = 0.0;
    for (int i = 0; i < v->length; i++) sum += v->data[i] * v->data[i] * (i + 1.0);
    return sum;
}

int main(void) {
    double x[N], xd[N], xb[N] = {0}, one = 1.0;
    check_fill(x, N, 0.5, 1.5), check_fill(xd, N, 0.5, 1.5);
    struct vector v = {N, x}, vd = {0, xd}, vb = {0, xb};
    __ad_adjoint_void((void *)norm, &v, &vb);
    double tangent = __ad_tangent_double((void *)norm, &v, &vd);
    for (int i = 0; i < N; i++) check_close("norm", xb[i], 2.0 * x[i] * (i + 1.0), 1e-14);
    check_dot("norm", N, xd, xb, 1, &tangent, &one, 1e-12);
    check_true("the shadow's pointer stays", vb.data == xb && vd.data == xd);
    return check_done();
}
