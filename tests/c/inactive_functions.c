/* Functions that the user declares inactive, in both spellings and by annotation; they keep their calls, whatever their
 * bodies compute, and may be declared only. Inactive variables. */
#include "requests.h"

static int calls;
static double scale = 1.5;
double scale_of_library = 0.25;

static double count(double x) { return calls++, x; }
void *__ad_inactive_function_count[] = {(void *)count};

static void watch(const double *x, int n) {
    for (int i = 0; i < n; i++) calls += x[i] > 0.0;
}
static double passed(double x) { return x; }
__attribute__((used)) static void *__enzyme_inactivefn_watch[] = {(void *)watch, (void *)passed};

__attribute__((annotate("ad_inactive"))) static double step_size(const double *x) { return calls++, 0.1 * x[0] * x[1]; }
__attribute__((annotate("enzyme_inactive"), noinline)) static int iterations(double x) { return calls++, x > 0.5 ? 3 : 2; }

int getpagesize(void);
void *__ad_inactive_function_declared[] = {(void *)getpagesize};

void *__ad_inactive_global_scale[] = {(void *)&scale};
void *__enzyme_inactive_global_library[] = {(void *)&scale_of_library};
__attribute__((annotate("ad_inactive"))) static double offset = 0.125;

/* Statistics, of which nobody wants the derivative. */
static double total, last[2];
void *__ad_inactive_global_statistics[] = {(void *)&total, (void *)last};

static double f(const double *x) {
    total += x[0];
    memcpy(last, x, sizeof last);
    last[1] += x[1];
    double local[2] = {x[0], x[1] * 2.0}, sum = 0.0;
    watch(local, 2);
    for (int i = 0; i < iterations(x[0]); i++) sum += local[i % 2] * count(x[1]) + passed(x[0]) * x[1];
    return sum * scale * scale_of_library + offset * step_size(x) * sin(x[0]) + (getpagesize() > 0) * x[1] + last[1] * x[0];
}

/* f with every inactive value held constant. */
static double fixed[5];
static double f_fixed(const double *x) {
    double local[2] = {x[0], x[1] * 2.0}, sum = 0.0;
    for (int i = 0; i < fixed[3]; i++) sum += local[i % 2] * fixed[0] + fixed[1] * x[1];
    return sum * 1.5 * 0.25 + 0.125 * fixed[2] * sin(x[0]) + x[1] + fixed[4] * x[0];
}
AD_FUNCTIONAL(f)
static void f_smooth(const double *x, double *y) { y[0] = f_fixed(x); }

int main(void) {
    double x[2] = {0.8, 1.3};
    fixed[0] = x[1], fixed[1] = x[0], fixed[2] = 0.1 * x[0] * x[1], fixed[3] = 3.0, fixed[4] = 2.0 * x[1];
    check_case c = CHECK_FUNCTIONAL(f, 2);
    c.smooth = f_smooth;
    check_at(&c, x);
    int before = calls;
    double xb[2] = {0.0, 0.0};
    __ad_adjoint_void((void *)f, x, xb);
    /* watch: 2, iterations: 4 tests of the loop, count: 3, step_size: 1. */
    check_true("each call runs once", calls - before == 2 + 4 + 3 + 1);
    check_close("statistics", last[1], 2.6, 1e-15);
    check_true("statistics go on", total > x[0]);
    check_equal_bits("a request on an inactive function", __ad_adjoint_double((void *)passed, 3.0), 0.0);
    return check_done();
}
