/* Requests on functions of their own file, which call functions of others. */
#include "../../c/check.h"
#include "ad.h"
#include "own.h"

void __ad_adjoint_void(void *, ...);
void __ad_tangent_void(void *, ...);
void *__ad_augmented_void(void *, ...);
void __ad_reverse_void(void *, ...);

/* The other definition counts. */
__attribute__((weak)) double chosen(double x) { return 100.0 * x; }

static int calls;

static void model(const double *x, double *y) {
    double work[3] = {x[0] * x[1], sin(x[2]), x[0]};
    mix(work, 3);
    calls++;
    y[0] = work[0] + unknown(x[1]) + counted(x[0]);
    y[1] = chosen(x[2]) * work[1] + work[2] * apply(cube, x[1]);
}

static void tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)model, x, xd, y, yd);
}

static void adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)model, x, xb, y, yb);
}

static void split(const double *x, double *xb, double *y, double *yb) {
    void *tape = __ad_augmented_void((void *)model, x, xb, y, yb);
    __ad_reverse_void((void *)model, x, xb, y, yb, tape);
}

/* Nothing of it is in another file. */
static void plain(const double *x, double *y) { y[0] = x[0] * exp(x[1]); }

static void plain_adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)plain, x, xb, y, yb);
}

static void plain_tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)plain, x, xd, y, yd);
}

int main(void) {
    const check_case own = {.name = "own", .n = 3, .m = 2, .primal = model, .tangent = tangent, .adjoint = adjoint};
    check_random_points(&own, 3, 0.2, 1.8);
    const check_case both = {.name = "split", .n = 3, .m = 2, .primal = model, .tangent = tangent, .adjoint = split};
    check_random_points(&both, 3, 0.2, 1.8);
    const check_case one = {.name = "plain", .n = 2, .m = 1, .primal = plain, .tangent = plain_tangent, .adjoint = plain_adjoint};
    check_random_points(&one, 3, 0.2, 1.8);
    check_true("the other file counts its calls", count() == calls);
    return check_done();
}
