/* Active arguments, and active pointers from before the request, that lead to a global variable which only an inner adjoint names, or which the
 * function reads by its name and nothing active is stored in: derivatives by one of the two ways would be lost (AD211). Where they lead elsewhere,
 * or where the variable is declared inactive, the derivatives are right. */
#include "ending.h"
#include "requests.h"

#define APART __attribute__((noinline)) static

static double weight = 3.0, table[2] = {0.5, 1.25};
static double fixed = 2.0;
void *__ad_inactive_global[] = {&fixed};
struct place {
    double *at;
};
static struct place given, given_shadow;
static double memory[2] = {0.75, 1.5}, memory_shadow[2];

/* Through an argument, and by name in what an inner request differentiates. */
static double cubic(double x) { return x * x * x * weight; }
APART double inside(const double *p, const double *x) { return __ad_adjoint_double((void *)cubic, x[0]) * x[1] + p[0]; }
/* Through a pointer in memory, and by name. */
APART double beside(const struct place *c, const double *x) { return c->at[0] * x[0] + table[0] * x[1] * x[0]; }
APART double in_callee(const struct place *c, int i) { return c->at[i] * c->at[0]; }
APART double beneath(const struct place *c, const double *x) { return in_callee(c, 1) * x[0] + table[1] * x[1]; }
/* The same with a variable that is declared inactive. */
APART double declared(const struct place *c, const double *x) { return c->at[0] * x[0] + fixed * x[1] * x[0]; }

static double *volatile led = memory;
#define WITH_ARGUMENT(f)                                                                                     \
    static void f##_map(const double *x, double *y) { y[0] = f(led, x); }                                    \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {                      \
        double seed[2] = {0.0, 0.0};                                                                         \
        (void)y;                                                                                             \
        yd[0] = __ad_tangent_double((void *)f, led, seed, x, xd);                                            \
    }                                                                                                        \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {                            \
        double sum[2] = {0.0, 0.0};                                                                          \
        (void)y, (void)yb;                                                                                   \
        __ad_adjoint_void((void *)f, led, sum, x, xb);                                                       \
    }
#define WITH_POINTER(f)                                                                                      \
    static void f##_map(const double *x, double *y) { y[0] = f(&given, x); }                                 \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {                      \
        (void)y;                                                                                             \
        memory_shadow[0] = memory_shadow[1] = 0.0;                                                           \
        yd[0] = __ad_tangent_double((void *)f, &given, &given_shadow, x, xd);                                \
    }                                                                                                        \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {                            \
        (void)y, (void)yb;                                                                                   \
        memory_shadow[0] = memory_shadow[1] = 0.0;                                                           \
        __ad_adjoint_void((void *)f, &given, &given_shadow, x, xb);                                          \
    }
WITH_ARGUMENT(inside)
WITH_POINTER(beside)
WITH_POINTER(beneath)
WITH_POINTER(declared)

int main(void) {
    check_case all[] = {CHECK_FUNCTIONAL(inside, 2), CHECK_FUNCTIONAL(beside, 2), CHECK_FUNCTIONAL(beneath, 2), CHECK_FUNCTIONAL(declared, 2)};
    double x[2] = {0.7, 0.3};
    given.at = memory, given_shadow.at = memory_shadow;
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) check_random_points(&all[i], 2, 0.6, 1.2);
    led = &weight;
    for (int adjoint = 0; adjoint < 2; adjoint++) check_case_ends("inside", &all[0], x, adjoint, "AD211", "'weight'");
    given.at = table;
    for (int adjoint = 0; adjoint < 2; adjoint++) {
        check_case_ends("beside", &all[1], x, adjoint, "AD211", "'table'");
        check_case_ends("beneath", &all[2], x, adjoint, "AD211", "'table'");
    }
    given.at = &fixed;
    check_random_points(&all[3], 2, 0.6, 1.2);
    return check_done();
}
