/* Functions in float only: arrays, accumulation, math functions of float; against closed forms evaluated in double. */
#include "requests.h"

enum { N = 6 };

static float sum_waves(const float *x, int n) {
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += sinf(x[i]) * x[i] + expf(-x[i]);
    return sum;
}
static void products(const float *x, float *y) {
    y[0] = x[0];
    for (int i = 1; i < N; i++) y[i] = y[i - 1] * x[i];
}

extern float __ad_tangent_float(void *f, ...);

int main(void) {
    for (int round = 0; round < 5; round++) {
        float x[N], xd[N], xb[N] = {0}, y[N], yd[N], yb[N], seed[N];
        for (int i = 0; i < N; i++) {
            x[i] = (float)check_uniform(0.4, 1.4), xd[i] = (float)check_uniform(0.5, 1.5);
            yb[i] = seed[i] = (float)check_uniform(0.5, 1.5);
        }
        __ad_adjoint_void((void *)sum_waves, x, xb, N);
        double tangent = __ad_tangent_float((void *)sum_waves, x, xd, N), sum = 0.0, size = 0.0;
        for (int i = 0; i < N; i++) {
            double a = x[i], partial = sin(a) + a * cos(a) - exp(-a);
            /* Each of the three terms is rounded to float a few times: 1e-6 of their sum of magnitudes. */
            check_within("sum_waves", xb[i], partial, 1e-6 * (sin(a) + a * cos(a) + exp(-a)));
            sum += partial * xd[i], size += (sin(a) + a * cos(a) + exp(-a)) * xd[i];
        }
        check_within("sum_waves, tangent", tangent, sum, 2e-6 * size); /* the sum over N terms is rounded, too */

        memset(xb, 0, sizeof xb);
        __ad_tangent_void((void *)products, x, xd, y, yd);
        __ad_adjoint_void((void *)products, x, xb, y, seed);
        double product[N], left = 0.0, right = 0.0;
        for (int i = 0; i < N; i++) product[i] = (i ? product[i - 1] : 1.0) * x[i];
        for (int i = 0; i < N; i++) {
            double want_d = 0.0, want_b = 0.0;
            for (int k = 0; k <= i; k++) want_d += product[i] / x[k] * xd[k];
            for (int k = i; k < N; k++) want_b += product[k] / x[i] * yb[k];
            /* 24-bit products of up to N factors, and their sums */
            check_close("products, tangent", yd[i], want_d, 3e-6);
            check_close("products, adjoint", xb[i], want_b, 3e-6);
            check_equal_bits("products, seed consumed", seed[i], 0.0);
            left += (double)yd[i] * yb[i], right += (double)xd[i] * xb[i];
        }
        check_close("products, dot product", right, left, 2e-6); /* 24-bit arithmetic on both sides */
    }
    return check_done();
}
