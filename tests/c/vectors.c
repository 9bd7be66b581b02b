/* Vector types of GCC and clang: arithmetic, elements at constant and variable places, shuffles, choices, arrays of vectors,
 * vectors passed to and returned by calls that stay calls. */
// ad-sanitizers: address
#include "requests.h"

typedef double four __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));
typedef float quad __attribute__((vector_size(16)));
typedef long flags __attribute__((vector_size(32)));

__attribute__((noinline)) static four twist(four a, double t) {
    four turned = __builtin_shufflevector(a, a, 1, 2, 3, 0);
    return a * turned + t;
}

static void arithmetic(const double *x, double *y) {
    four a = {x[0], x[1], x[2], x[3]}, b = a * a - 1.0 / a;
    b[2] += a[0];
    four c = twist(b, x[1]);
    y[0] = c[0] + c[1] * c[2];
    y[1] = (c / (a + 1.0))[3];
}
static void places(const double *x, double *y) {
    four a = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 4; i++) a[i] = x[i] * (i + 1);
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        sum += a[i] * a[3 - i];
        a[(i * 2) % 4] *= x[i];
    }
    y[0] = sum;
    y[1] = a[0] * a[1] + a[2] * a[3];
}
static void choices(const double *x, double *y) {
    four a = {x[0], x[1], x[2], x[3]}, b = {x[3], x[0], x[1], x[2]};
    flags less = a < b;
    four least = (four)((less & (flags)a) | (~less & (flags)b)), chosen = least * a + b;
    pair low = __builtin_shufflevector(chosen, chosen, 0, 1), high = __builtin_shufflevector(chosen, least, 2, 7);
    pair both = low * high;
    y[0] = both[0];
    y[1] = both[1] + chosen[3];
}
static void of_floats(const double *x, double *y) {
    quad a = {(float)x[0], (float)x[1], (float)x[2], (float)x[3]};
    quad b = a * a + __builtin_shufflevector(a, a, 3, 3, 0, 0);
    y[0] = b[0] * b[1];
    y[1] = b[2] + b[3] * b[0];
}
AD_MAP(arithmetic)
AD_MAP(places)
AD_MAP(of_floats)

static double in_arrays(const four *x, int n) {
    four sum = {0.0, 0.0, 0.0, 0.0}, last[3];
    for (int i = 0; i < n; i++) {
        last[i % 3] = x[i] * x[i];
        sum += last[i % 3] * x[(i + 1) % n];
    }
    for (int i = 0; i < 3; i++) sum += last[i];
    return sum[0] + sum[1] * sum[2] + sum[3];
}
static double in_arrays_n(const double *x) {
    four v[4];
    memcpy(v, x, sizeof v);
    return in_arrays(v, 4);
}
AD_FUNCTIONAL(in_arrays_n)

static void of_floats_exact(const double *x, double *y) {
    double b0 = x[0] * x[0] + x[3], b1 = x[1] * x[1] + x[3], b2 = x[2] * x[2] + x[0], b3 = x[3] * x[3] + x[0];
    y[0] = b0 * b1;
    y[1] = b2 + b3 * b0;
}

int main(void) {
    (void)choices;
    check_case cases[] = {CHECK_MAP(arithmetic, 4, 2), CHECK_MAP(places, 4, 2), CHECK_FUNCTIONAL(in_arrays_n, 16)};
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.5, 1.3);
    check_case single = CHECK_MAP(of_floats, 4, 2);
    single.smooth = of_floats_exact;
    single.tol_diff = single.tol_dot = 1e-5; /* float: 24 bits */
    check_random_points(&single, 3, 0.5, 1.3);
    return check_done();
}
