/* Functions with derivatives of the user's own, inactive ones and ones like library functions, called through pointers and
 * from code that is optimised at link time or not; registered functions that are static and equal by name in two files.
 * ad-also: parts/custom_same_name.c */
#include "requests.h"

static int own_runs;
typedef double function(double);

static double own(double x) { return x * x; }
static double own_tangent(double x, double xd) { return own_runs++, 2.0 * x * xd; }
static double own_augmented(double x) { return own_runs++, x * x; }
static double own_reverse(double x, double yb) { return 2.0 * x * yb; }
void *__ad_register_tangent_own_here[] = {(void *)own, (void *)own_tangent};
void *__ad_register_adjoint_own_here[] = {(void *)own, (void *)own_augmented, (void *)own_reverse};

static double still(double x) { return x; }
void *__ad_inactive_function_still[] = {(void *)still};

static double sine(double x) { return sin(x); }
void *__ad_function_like_sine[] = {(void *)sine, (void *)"sin"};

static double plain(double x) { return x * x * x; }

static double chosen(const double *x, int n) {
    function *table[] = {own, still, sine, plain};
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += table[i % 4](x[i]) * x[(i + 1) % n];
    return sum;
}

double same_name_elsewhere(double x, double *derivative);
enum { N = 9 };

int main(void) {
    double x[N], xd[N], xb[N] = {0}, want[N] = {0}, dot = 0.0, f[4], d[4];
    check_fill(x, N, 0.5, 1.5), check_fill(xd, N, 0.5, 1.5);
    for (int i = 0; i < N; i++) {
        f[0] = x[i] * x[i], f[1] = x[i], f[2] = sin(x[i]), f[3] = f[0] * x[i];
        d[0] = 2.0 * x[i], d[1] = 0.0, d[2] = cos(x[i]), d[3] = 3.0 * f[0];
        want[i] += d[i % 4] * x[(i + 1) % N];
        want[(i + 1) % N] += f[i % 4];
    }
    __ad_adjoint_void((void *)chosen, x, xb, N);
    double tangent = __ad_tangent_double((void *)chosen, x, xd, N);
    for (int i = 0; i < N; i++) check_close("adjoint", xb[i], want[i], 1e-14), dot += want[i] * xd[i];
    check_close("tangent", tangent, dot, 1e-13);
    check_true("the rules run", own_runs == 6);
    double derivative;
    check_equal_bits("the other file's function", same_name_elsewhere(2.0, &derivative), 7.0);
    check_equal_bits("the other file's rule", derivative, -4.0);
    return check_done();
}
