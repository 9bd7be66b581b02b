/* Derivatives that are divided into small parts (-ad-parts): straight lines, branches, loops with long bodies, a local array and a
 * value that is read far behind its computation go from part to part. The sums are those of a loop over the same statements. */
// ad-option: -ad-parts=16
#include "requests.h"

enum { N = 8, STEPS = 32 };

#define STEP(k)                                            \
    do {                                                   \
        const double p = a * x[(k) % N] - 0.3 * first;     \
        double sum = 0.0;                                  \
        for (int j = 0; j < N; j++) {                      \
            w[j] = 0.5 * w[j] + 0.2 * p * x[j];            \
            sum += w[j] * w[(j + (k)) % N];                \
        }                                                  \
        if (sum > 0.4 * b)                                 \
            a = 0.7 * a + 0.2 * sin(p) * sum;              \
        else                                               \
            b = 0.6 * b + 0.1 * sum * p;                   \
        b = 0.5 * b + 0.2 * (p - sum) / (1.0 + p * p);     \
    } while (0)
#define STEP4(k) STEP(k); STEP((k) + 1); STEP((k) + 2); STEP((k) + 3)
#define STEP16(k) STEP4(k); STEP4((k) + 4); STEP4((k) + 8); STEP4((k) + 12)

static double straight(const double *x, double *y) {
    double w[N], a = x[0], b = x[1];
    const double first = x[2] * x[3] + y[0];
    for (int j = 0; j < N; j++) w[j] = 0.1 * j * x[j];
    STEP16(0);
    y[1] = a * b;
    STEP16(16);
    y[0] = a * w[3];
    return a + 2.0 * b - first;
}

static double looped(const double *x, double *y) {
    double w[N], a = x[0], b = x[1];
    const double first = x[2] * x[3] + y[0];
    for (int j = 0; j < N; j++) w[j] = 0.1 * j * x[j];
#pragma clang loop unroll(disable)
    for (int k = 0; k < STEPS; k++) {
        if (k == 16) y[1] = a * b;
        STEP(k);
    }
    y[0] = a * w[3];
    return a + 2.0 * b - first;
}

int main(void) {
    double x[N], v[N], xb[2][N] = {{0}}, yb[2][2], yd[2][2], y[2][2], dot[2];
    for (int i = 0; i < N; i++) x[i] = 0.4 + 0.15 * i, v[i] = sin(2.0 + i);
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < 2; i++) y[f][i] = 0.2, yb[f][i] = 0.3 + i, yd[f][i] = 0.1 * i - 0.3;
    __ad_adjoint_void((void *)straight, x, xb[0], y[0], yb[0]);
    __ad_adjoint_void((void *)looped, x, xb[1], y[1], yb[1]);
    for (int i = 0; i < N; i++) check_close("x bar", xb[0][i], xb[1][i], 1e-12);
    for (int i = 0; i < 2; i++) check_close("y bar", yb[0][i], yb[1][i], 1e-12), y[0][i] = y[1][i] = 0.2;
    dot[0] = __ad_tangent((void *)straight, x, v, y[0], yd[0]);
    dot[1] = __ad_tangent((void *)looped, x, v, y[1], yd[1]);
    check_close("dot", dot[0], dot[1], 1e-12);
    for (int i = 0; i < 2; i++) check_close("y dot", yd[0][i], yd[1][i], 1e-12);
    /* What goes in times what comes out, both ways. */
    double in = yb[0][0] * -0.3 + yb[0][1] * -0.2, out = dot[0] + yd[0][0] * 0.3 + yd[0][1] * 1.3;
    for (int i = 0; i < N; i++) in += v[i] * xb[0][i];
    check_close("dot product", in, out, 1e-12);
    return check_done();
}
