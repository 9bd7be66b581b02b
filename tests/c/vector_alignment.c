/* Code that finds out at run time where vectors fit: the memory of a variable may be better aligned there than its shadow. */
// ad-sanitizers: address
#include "requests.h"

typedef double pair __attribute__((vector_size(16)));

enum { N = 7 };

__attribute__((noinline)) static void square(double *x, int n) {
    int i = 0;
    for (; i < n && ((uintptr_t)(x + i) & 15); i++) x[i] *= x[i];
    for (; i + 1 < n; i += 2) {
        pair *p = (pair *)(x + i);
        *p *= *p;
    }
    for (; i < n; i++) x[i] *= x[i];
}

static double at_any_place(const double *x, int first) {
    double room[N + 3];
    for (int i = 0; i < N; i++) room[first + i] = x[i];
    square(room + first, N);
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += room[first + i] * (i + 1);
    return sum;
}
static double even(const double *x) { return at_any_place(x, 0); }
static double odd(const double *x) { return at_any_place(x, 1); }
AD_FUNCTIONAL(even)
AD_FUNCTIONAL(odd)

/* Active memory of the caller: the shadow lies at other places modulo 16. */
static double norm(double *x) {
    square(x, N);
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += x[i];
    return sum;
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(even, N), CHECK_FUNCTIONAL(odd, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    for (int at = 0; at < 4; at++) {
        double primal[N + 2], shadow[N + 2];
        double *x = primal + at % 2, *other = shadow + at / 2;
        for (int i = 0; i < N; i++) x[i] = i + 0.5, other[i] = 0.0;
        __ad_adjoint_void((void *)norm, x, other);
        for (int i = 0; i < N; i++) check_close("adjoint", other[i], 2.0 * (i + 0.5), 1e-14);
        for (int i = 0; i < N; i++) x[i] = i + 0.5, other[i] = 1.0;
        check_close("tangent", __ad_tangent_double((void *)norm, x, other), N * N, 1e-14);
    }
    return check_done();
}
