/* Adjoints of the user's own whose augmented part returns nothing, though the function returns a real: the function is called for its
 * result. With values only, with memory, with an integer as the result, in a loop. */
#include "requests.h"

enum { N = 3 };

static int runs;
__attribute__((noinline)) double square(double x) {
    runs++;
    return x * x;
}
void square_augmented(double x) { (void)x; }
double square_reverse(double x, double yb) { return 2.0 * x * yb; }
void *__ad_register_adjoint_square[] = {(void *)square, (void *)square_augmented, (void *)square_reverse};
double square_tangent(double x, double xd) { return 2.0 * x * xd; }
void *__ad_register_tangent_square[] = {(void *)square, (void *)square_tangent};

__attribute__((noinline)) double product(const double *x, double s) { return x[0] * x[1] * s; }
void product_augmented(const double *x, double *xb, double s) { (void)x, (void)xb, (void)s; }
double product_reverse(const double *x, double *xb, double s, double yb) {
    xb[0] += x[1] * s * yb;
    xb[1] += x[0] * s * yb;
    return x[0] * x[1] * yb;
}
void *__ad_register_adjoint_product[] = {(void *)product, (void *)product_augmented, (void *)product_reverse};
double product_tangent(const double *x, const double *xd, double s, double sd) { return (xd[0] * x[1] + x[0] * xd[1]) * s + x[0] * x[1] * sd; }
void *__ad_register_tangent_product[] = {(void *)product, (void *)product_tangent};

__attribute__((noinline)) int sign(double x) { return x > 0.0 ? 1 : -1; }
void sign_augmented(double x) { (void)x; }
double sign_reverse(double x) { return 0.0 * x; }
void *__ad_register_adjoint_sign[] = {(void *)sign, (void *)sign_augmented, (void *)sign_reverse};
int sign_tangent(double x, double xd) {
    (void)xd;
    return sign(x);
}
void *__ad_register_tangent_sign[] = {(void *)sign, (void *)sign_tangent};

static double values(const double *x) {
    double s = x[0];
    for (int i = 0; i < N; i++) s = square(s) * x[i] + sin(s) * sign(x[i]);
    return s;
}
static double memory(const double *x) {
    double s = x[2];
    for (int i = 0; i < 2; i++) s += product(x, s) * product(x + 1, x[i]);
    return s;
}
AD_FUNCTIONAL(values)
AD_FUNCTIONAL(memory)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(values, N), CHECK_FUNCTIONAL(memory, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    check_true("the function was called", runs > 0);
    return check_done();
}
