/* Values with members, several directions, split mode. */
#include "../../c/check.h"
#include "ad.h"
#include "values.h"

double __ad_tangent_double(void *, ...);
void *__ad_augmented_tape(void *, ...);
void __ad_reverse_void(void *, ...);
extern int ad_tape;

static void primal(const double *x, double *y) {
    struct point p = {x[0], x[1], x[2]};
    y[0] = length(p, x[3]);
}

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    struct point p = {x[0], x[1], x[2]}, pd = {xd[0], xd[1], xd[2]};
    primal(x, y);
    yd[0] = __ad_tangent_double((void *)length, ad_dup, p, pd, ad_dup, x[3], xd[3]);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    struct point p = {x[0], x[1], x[2]}, pb = {0, 0, 0};
    double s = x[3], sb = 0.0;
    primal(x, y);
    double r = 0.0, rb = yb[0];
    void *tape = __ad_augmented_tape((void *)store_length, ad_dup, &p, &pb, ad_dup, &s, &sb, ad_dup, &r, &rb);
    __ad_reverse_void((void *)store_length, ad_dup, &p, &pb, ad_dup, &s, &sb, ad_dup, &r, &rb, tape);
    check_same_primal("split", r, y[0]);
    xb[0] += pb.x, xb[1] += pb.y, xb[2] += pb.z, xb[3] += sb;
}

int main(void) {
    const check_case c = {.name = "values", .n = 4, .m = 1, .primal = primal, .tangent = tangent, .adjoint = adjoint,
                          .keeps_seed = 1};
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
