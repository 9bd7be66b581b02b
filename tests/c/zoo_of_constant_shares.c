// Parallel regions that share constant memory beside active memory: arrays of coefficients and of
// indices, a struct with pointers, a constant behind two pointers. Regions take the
// addresses of the pointers: those that lead to constants need no shadow.
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <omp.h>

enum { N = 40 };

static double weighted(const double *w, const double *x, int n) {
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += w[i] * x[i] * x[i];
    return sum;
}

static double gathered(const int *index, const double *w, const double *x, double *y, int n) {
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < n; i++) y[i] = w[index[i]] * sin(x[index[i]]);
#pragma omp for
        for (int i = 0; i < n; i++) y[n + i] = y[(i + 1) % n] * w[i];
    }
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += y[n + i] * x[i];
    return sum;
}

typedef struct {
    const double *w;
    double *x;
    double scale;
} problem;

static double of_problem(problem *p, int n) {
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += p->scale * p->w[i] * p->x[i] * p->x[(i + 3) % n];
    return sum;
}

// The same without threads.
__attribute__((noinline)) static void stores(const double **w, double **x, double *sum, int n) {
    if (n > 1) {
        stores(w, x, sum, n / 2);
        stores(w, x, sum, n / 3);
    }
    *sum += (*w)[n] * (*x)[n] * (*x)[n];
}
static double recursive(const double *w, double *x, int n) {
    double sum = 0.0;
    stores(&w, &x, &sum, n - 1);
    return sum;
}

static void times(double *counts, int n) {
    if (n > 1) times(counts, n / 2), times(counts, n / 3);
    counts[n]++;
}

int main(void) {
    double w[N], x[N], xd[N] = {0}, xb[N], wb[N] = {0}, counts[N] = {0};
    int index[N];
    for (int i = 0; i < N; i++) w[i] = 0.1 * i - 1.0, x[i] = 0.5 + 0.03 * i, index[i] = (7 * i) % N;
    times(counts, N - 1);
    for (int t = 1; t <= 4; t += 3) {
        omp_set_num_threads(t);
        for (int i = 0; i < N; i++) xb[i] = 0.0;
        __ad_adjoint_double((void *)weighted, ad_const, w, ad_dup, x, xb, N);
        for (int i = 0; i < N; i++) check_close("weighted, adjoint", xb[i], 2.0 * w[i] * x[i], 1e-12);
        xd[5] = 1.0;
        check_close("weighted, tangent", __ad_tangent_double((void *)weighted, ad_const, w, ad_dup, x, xd, N), 2.0 * w[5] * x[5], 1e-12);
        xd[5] = 0.0;

        double y[2 * N], yb[2 * N] = {0};
        for (int i = 0; i < N; i++) xb[i] = 0.0;
        __ad_adjoint_double((void *)gathered, ad_const, index, ad_const, w, ad_dup, x, xb, ad_dup, y, yb, N);
        double slope[N] = {0};
        for (int i = 0; i < N; i++) {
            int k = index[(i + 1) % N];
            slope[i] += w[k] * sin(x[k]) * w[i];
            slope[k] += x[i] * w[i] * w[k] * cos(x[k]);
        }
        for (int i = 0; i < N; i++) check_close("gathered, adjoint", xb[i], slope[i], 1e-12);

        problem p = {w, x, 2.0}, pb = {wb, xb, 0.0};
        for (int i = 0; i < N; i++) xb[i] = 0.0;
        __ad_adjoint_double((void *)of_problem, ad_dup, &p, &pb, N);
        double by_scale = 0.0;
        for (int i = 0; i < N; i++) by_scale += w[i] * x[i] * x[(i + 3) % N];
        check_close("problem, scale", pb.scale, by_scale, 1e-12);

        for (int i = 0; i < N; i++) xb[i] = 0.0;
        __ad_adjoint_double((void *)recursive, ad_const, w, ad_dup, x, xb, N);
        for (int i = 0; i < N; i++) check_close("recursive, adjoint", xb[i], 2.0 * counts[i] * w[i] * x[i], 1e-12);
    }
    return check_done();
}
