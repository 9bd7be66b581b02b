/* A checkpointed loop, whose state another file has and declares. */
#include "../../c/check.h"
#include "ad.h"

extern void __ad_adjoint_void(void *, ...);
extern void __ad_tangent_void(void *, ...);
void set_up(int count), keep(void), reset(double a), step(double a);
double total(void);

static void model(const double *x, double *y) {
    reset(x[0]), keep();
    for (int t = 0; t < 50; t++) {
        ad_checkpoint_loop(5);
        step(x[1]);
    }
    y[0] = total() * x[2], y[1] = x[2];
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

int main(void) {
    const check_case c = {.name = "checkpointed", .n = 3, .m = 2, .primal = model, .tangent = tangent, .adjoint = adjoint};
    set_up(4);
    check_random_points(&c, 3, 0.2, 1.8);
    return check_done();
}
