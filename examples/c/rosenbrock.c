/* The gradient of Rosenbrock's function by one adjoint, and a directional derivative by one tangent. */
#include <ad.h>
#include <math.h>
#include <stdio.h>

enum { N = 10 };

/* A request: the plugin replaces its calls. After each array follows its shadow. */
extern void __ad_adjoint_rosenbrock(void *f, ...);

static double rosenbrock(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i + 1 < n; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1.0 - x[i];
        sum += 100.0 * a * a + b * b;
    }
    return sum;
}

/* The closed form. */
static double partial(const double *x, int n, int i) {
    double sum = 0.0;
    if (i + 1 < n) sum += -400.0 * x[i] * (x[i + 1] - x[i] * x[i]) - 2.0 * (1.0 - x[i]);
    if (i > 0) sum += 200.0 * (x[i] - x[i - 1] * x[i - 1]);
    return sum;
}

int main(void) {
    double x[N], direction[N], xb[N] = {0.0};
    for (int i = 0; i < N; i++) x[i] = 1.0 + 0.3 * sin(2.0 * i), direction[i] = cos(3.0 * i);

    __ad_adjoint_rosenbrock((void *)rosenbrock, x, xb, N);
    double tangent = __ad_tangent((void *)rosenbrock, x, direction, N);

    double worst = 0.0, along = 0.0;
    for (int i = 0; i < N; i++) {
        double exact = partial(x, N, i);
        printf("x%-2d %14.8f %14.8f\n", i, xb[i], exact);
        worst = fmax(worst, fabs(xb[i] - exact));
        along += xb[i] * direction[i];
    }
    printf("along the direction: %.8f by the tangent, %.8f by the gradient\n", tangent, along);
    /* A comparison with NaN is false: NaN fails. */
    int is_right = worst < 1e-9 && fabs(tangent - along) < 1e-9;
    puts(is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
}
