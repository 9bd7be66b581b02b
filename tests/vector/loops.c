/* Loops that LLVM's vectoriser turns into every form of vector code; vectorised.rs compiles them without the plugin first and
 * differentiates the result. */
#include "requests.h"

enum { N = 37 };

static double sum(const double *x) {
    double s = 0.5;
    for (int i = 0; i < N; i++) s += x[i] * x[i];
    return s;
}
static double product(const double *x) {
    double s = 1;
    for (int i = 0; i < N; i++) s *= 1.0 + 0.1 * x[i];
    return s;
}
static double largest(const double *x) {
    double s = x[0];
    for (int i = 1; i < N; i++) s = x[i] > s ? x[i] : s;
    return s * s;
}
static double smallest(const double *x) {
    double s = x[0];
    for (int i = 1; i < N; i++) s = fmin(x[i], s);
    return s * s;
}
static double masked_load(const double *x) {
    double s = 0;
    for (int i = 0; i < N; i++)
        if (x[i] > 0.6) s += x[i] * x[(i * 7) % N];
    return s;
}
static double strided(const double *x) {
    double s = 0;
    for (int i = 0; i < N / 2; i++) s += x[2 * i] * x[2 * i + 1];
    return s;
}
static double functions(const double *x) {
    double s = 0;
    for (int i = 0; i < N; i++) s += sqrt(x[i]) * fabs(x[i] - 0.501) + floor(x[i] * 3) * x[i] + fmax(x[i], 0.7);
    return s;
}
static double transcendental(const double *x) {
    double s = 0;
    for (int i = 0; i < N; i++) s += sin(x[i]) * exp(x[i]) + pow(x[i], 1.5) + ldexp(x[i], i % 4);
    return s;
}
static double converted(const double *x) {
    float narrow[N];
    double s = 0;
    for (int i = 0; i < N; i++) narrow[i] = (float)x[i] * (float)(i % 5);
    for (int i = 0; i < N; i++) s += (double)narrow[i] * x[i] + (int)(4.0 * x[i] + 0.013) * x[i];
    return s;
}
static double filtered(const double *x) {
    double kept[N], s = 0;
    int n = 0;
    for (int i = 0; i < N; i++)
        if (x[i] > 0.6) kept[n++] = x[i];
    for (int i = 0; i < n; i++) s += kept[i] * kept[i] * (i + 1);
    return s;
}
static double matrix(const double *x) {
    double a[6][6], s = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) a[i][j] = x[6 * i + j] * x[(7 * j + i) % N];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++) s += a[i][k] * a[k][j];
    return s;
}
static void masked(const double *x, double *y) {
    for (int i = 0; i < N; i++) {
        if (x[i] > 0.6) y[i] = x[i] * x[i];
        else y[i] = -x[i];
    }
}
static void masked_store(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i];
    for (int i = 0; i < N; i++)
        if (x[i] > 0.6) y[i] = y[i] * x[i];
}
static void backwards(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[N - 1 - i] * x[i];
}
static const int order[N] = {3,  5,  1,  0,  2,  4,  9,  11, 20, 33, 12, 6,  7,  8,  10, 36, 35, 34, 30,
                             31, 32, 29, 28, 27, 26, 25, 24, 23, 22, 21, 19, 18, 17, 16, 15, 14, 13};
static void gather(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[order[i]] * x[i];
}
static void scatter(const double *restrict x, double *restrict y) {
    /* Division and root make a scatter worth its cost. */
    for (int i = 0; i < N; i++) y[order[i]] = sqrt(x[i]) * x[i] / (x[i] + 1);
}
static void carried(const double *x, double *y) {
    double before = 0.3;
    for (int i = 0; i < N; i++) {
        y[i] = x[i] * before;
        before = x[i];
    }
}
static void pairs(const double *x, double *y) {
    for (int i = 0; i < N / 2; i++) {
        y[2 * i] = x[2 * i + 1] * 2;
        y[2 * i + 1] = x[2 * i] * x[2 * i];
    }
    y[N - 1] = x[0];
}
static void copied_bits(const double *x, double *y) {
    for (int i = 0; i < N; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        memcpy(&y[N - 1 - i], &bits, sizeof bits);
    }
    for (int i = 0; i < N; i++) y[i] *= x[i];
}
__attribute__((noinline)) static void relax(const double *x, double *y, int steps) {
    if (steps == 0) return;
    for (int i = 1; i < N - 1; i++) y[i] = 0.25 * (x[i - 1] + x[i + 1]) + 0.5 * y[i] * x[i];
    relax(x, y, steps - 1);
}
static void recursive(const double *x, double *y) {
    for (int i = 0; i < N; i++) y[i] = x[i];
    relax(x, y, 3);
}
AD_FUNCTIONAL(sum)
AD_FUNCTIONAL(product)
AD_FUNCTIONAL(largest)
AD_FUNCTIONAL(smallest)
AD_FUNCTIONAL(masked_load)
AD_FUNCTIONAL(strided)
AD_FUNCTIONAL(functions)
AD_FUNCTIONAL(transcendental)
AD_FUNCTIONAL(converted)
AD_FUNCTIONAL(filtered)
AD_FUNCTIONAL(matrix)
AD_MAP(masked)
AD_MAP(masked_store)
AD_MAP(backwards)
AD_MAP(gather)
AD_MAP(scatter)
AD_MAP(carried)
AD_MAP(pairs)
AD_MAP(copied_bits)
AD_MAP(recursive)

int main(void) {
    check_case cases[] = {
        CHECK_FUNCTIONAL(sum, N),
        CHECK_FUNCTIONAL(product, N),
        CHECK_FUNCTIONAL(largest, N),
        CHECK_FUNCTIONAL(smallest, N),
        CHECK_FUNCTIONAL(masked_load, N),
        CHECK_FUNCTIONAL(strided, N),
        CHECK_FUNCTIONAL(functions, N),
        CHECK_FUNCTIONAL(transcendental, N),
        CHECK_FUNCTIONAL(converted, N),
        CHECK_FUNCTIONAL(filtered, N),
        CHECK_FUNCTIONAL(matrix, N),
        CHECK_MAP(masked, N, N),
        CHECK_MAP(masked_store, N, N),
        CHECK_MAP(backwards, N, N),
        CHECK_MAP(gather, N, N),
        CHECK_MAP(scatter, N, N),
        CHECK_MAP(carried, N, N),
        CHECK_MAP(pairs, N, N),
        CHECK_MAP(copied_bits, N, N),
        CHECK_MAP(recursive, N, N),
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case *c = &cases[i];
        c->step = 1e-4; /* the masks stay as they are */
        c->tol_diff = 1e-6;
        /* The two copies of a function are vectorised differently. */
        c->adjoint_needs_no_primal = c->tangent_needs_no_primal = 1;
        if (strcmp(c->name, "converted") == 0) c->tol_diff = 1e-1, c->tol_dot = 1e-6;
        check_random_points(c, 2, 0.3, 0.9);
    }
    return check_done();
}
