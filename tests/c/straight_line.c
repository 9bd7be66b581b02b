/* A straight-line function with hundreds of statements and branches between them: what is computed again is needed behind
 * many branches, so the plan counts how often. The same statements in a loop have the same derivatives. */
#include "requests.h"

enum { N = 8, STEPS = 64 };

#define STEP(k)                                               \
    do {                                                      \
        const double p = a * x[(k) % N] - 0.3 * b;            \
        const double q = p * p - 0.5 * c * x[(k) * 3 % N];    \
        if (q > 0.1 * a)                                      \
            a = 0.7 * a + 0.2 * sin(p) * q;                   \
        else                                                  \
            c = 0.6 * c + 0.1 * q * b;                        \
        b = 0.5 * b + 0.2 * (p - q) / (1.0 + p * p);          \
        c = 0.9 * c + 0.05 * a * q;                           \
    } while (0)
#define STEP4(k) STEP(k); STEP((k) + 1); STEP((k) + 2); STEP((k) + 3)
#define STEP16(k) STEP4(k); STEP4((k) + 4); STEP4((k) + 8); STEP4((k) + 12)

static double straight(const double *x) {
    double a = x[0], b = x[1], c = x[2] * x[3];
    STEP16(0);
    STEP16(16);
    STEP16(32);
    STEP16(48);
    return a + 2.0 * b - c;
}

static double looped(const double *x) {
    double a = x[0], b = x[1], c = x[2] * x[3];
#pragma clang loop unroll(disable)
    for (int k = 0; k < STEPS; k++) STEP(k);
    return a + 2.0 * b - c;
}

int main(void) {
    double x[N], v[N], one[N] = {0}, other[N] = {0};
    for (int i = 0; i < N; i++) x[i] = 0.4 + 0.15 * i, v[i] = sin(2.0 + i);
    __ad_adjoint_void((void *)straight, x, one);
    __ad_adjoint_void((void *)looped, x, other);
    for (int i = 0; i < N; i++) check_close("bar", one[i], other[i], 1e-12);
    double dot = __ad_tangent((void *)straight, x, v);
    check_dot("straight", N, v, one, 1, &dot, (double[]){1.0}, 1e-12);
    check_close("dot", dot, __ad_tangent((void *)looped, x, v), 1e-12);
    return check_done();
}
