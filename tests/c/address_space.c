/* Pointers in another address space of the same memory: shadows follow them there. And reads of a segment that have nothing to do with
 * active data.
 *
 * ad-option: -ad-adjoint=far_sum
 * ad-option: -ad-tangent=far_sum
 */
#include "requests.h"

#define FAR __attribute__((address_space(1)))
enum { N = 3 };

double far_sum(const FAR double *x, int n) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s += x[i] * x[i] * s + x[i];
    return s;
}
extern double far_sum_d(const FAR double *x, const FAR double *xd, int n, double *y);
extern void far_sum_b(const FAR double *x, FAR double *xb, int n, double yb);

/* Cast there, and back. */
static double cast(const double *x) {
    double a[N];
    FAR double *at = (FAR double *)a;
    for (int i = 0; i < N; i++) at[i] = x[i] * x[i];
    double s = 1.0;
    for (int i = 0; i < N; i++) s = s * a[i] + ((const FAR double *)x)[i];
    return s;
}
__attribute__((noinline)) static void scale(FAR double *y, const FAR double *x, int n) {
    for (int i = 0; i < n; i++) y[i] = sin(x[i]) * x[(i + 1) % n];
}
static double called(const double *x) {
    double y[N], z[N];
    scale((FAR double *)y, (const FAR double *)x, N);
    scale((FAR double *)z, (const FAR double *)y, N);
    return z[0] * y[1] + z[2];
}
static FAR double kept[N];
static double variable(const double *x) {
    for (int i = 0; i < N; i++) kept[i] = x[i] * x[(i + 1) % N];
    double s = 0.0;
    for (int i = 0; i < N; i++) s += kept[i] * kept[(i + 2) % N];
    return s;
}
/* In memory: pointers there. */
struct list {
    FAR double *at[N];
};
static double held(const double *x) {
    double a[N] = {x[0], x[1], x[2]};
    struct list l;
    for (int i = 0; i < N; i++) l.at[i] = (FAR double *)&a[i];
    double s = 1.0;
    for (int i = 0; i < N; i++) s = s * *l.at[(i + 1) % N] + *l.at[i];
    return s;
}
/* What the thread's segment holds decides, and is no number of ours. */
static double thread(const double *x) {
    unsigned long guard = 1;
#ifdef __x86_64__
    guard = *(const __attribute__((address_space(257))) unsigned long *)40 | 1;
#endif
    return guard ? x[0] * x[1] : x[2];
}
AD_FUNCTIONAL(cast)
AD_FUNCTIONAL(called)
AD_FUNCTIONAL(variable)
AD_FUNCTIONAL(held)
AD_FUNCTIONAL(thread)

static double far_of(const double *x) { return far_sum((const FAR double *)x, N); }
static void far_of_map(const double *x, double *y) { y[0] = far_of(x); }
static void far_of_tangent(const double *x, const double *xd, double *y, double *yd) {
    yd[0] = far_sum_d((const FAR double *)x, (const FAR double *)xd, N, y);
}
static void far_of_adjoint(const double *x, double *xb, double *y, double *yb) {
    (void)y;
    far_sum_b((const FAR double *)x, (FAR double *)xb, N, yb[0]);
    yb[0] = 0.0;
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(cast, N), CHECK_FUNCTIONAL(called, N), CHECK_FUNCTIONAL(variable, N), CHECK_FUNCTIONAL(held, N),
                          CHECK_FUNCTIONAL(thread, N), CHECK_FUNCTIONAL(far_of, N)};
    cases[5].has_unit_seed = 0;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
