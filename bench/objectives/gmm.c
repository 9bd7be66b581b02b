/* The Gaussian mixture objective of gmm.h. */
#include "gmm.h"

#include <math.h>
#include <stdlib.h>

#define LOG_PI 1.14472988584940017414
#define LOG_2PI 1.83787706640934548356
#define LOG_2 0.69314718055994530942

static double largest(int n, const double *restrict v) {
    double m = v[0];
    for (int i = 1; i < n; i++)
        if (v[i] > m) m = v[i];
    return m;
}

static double log_sum_exp(int n, const double *restrict v) {
    double m = largest(n, v), sum = 0.0;
    for (int i = 0; i < n; i++) sum += exp(v[i] - m);
    return m + log(sum);
}

/* Per component: exp(q) and the sum of q. */
static void prepare(int d, int k, const double *restrict icf, double *restrict diagonals, double *restrict sums) {
    int stride = d * (d + 1) / 2;
    for (int c = 0; c < k; c++) {
        const double *q = icf + (long)c * stride;
        double sum = 0.0;
        for (int j = 0; j < d; j++) {
            sum += q[j];
            diagonals[(long)c * d + j] = exp(q[j]);
        }
        sums[c] = sum;
    }
}

/* out = Q v; `lower` is the strictly lower triangle, column by column. */
static void multiply(int d, const double *restrict diagonal, const double *restrict lower, const double *restrict v,
                     double *restrict out) {
    for (int j = 0; j < d; j++) out[j] = diagonal[j] * v[j];
    for (int column = 0; column < d - 1; column++) {
        double factor = v[column];
        for (int row = column + 1; row < d; row++) out[row] += lower[row - column - 1] * factor;
        lower += d - column - 1;
    }
}

static double square_norm(int n, const double *restrict v) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    return sum;
}

/* Logarithm of the multivariate gamma function. */
static double log_gamma_multivariate(double a, int d) {
    double sum = 0.25 * d * (d - 1) * LOG_PI;
    for (int j = 1; j <= d; j++) sum += lgamma(a + 0.5 * (1 - j));
    return sum;
}

static double log_wishart(int d, int k, double gamma, int m, const double *restrict diagonals,
                          const double *restrict sums, const double *restrict icf) {
    int freedom = d + m + 1, stride = d * (d + 1) / 2;
    double constant = freedom * d * (log(gamma) - 0.5 * LOG_2) - log_gamma_multivariate(0.5 * freedom, d);
    double sum = 0.0;
    for (int c = 0; c < k; c++) {
        double frobenius = square_norm(d, diagonals + (long)c * d) + square_norm(stride - d, icf + (long)c * stride + d);
        sum += 0.5 * gamma * gamma * frobenius - m * sums[c];
    }
    return sum - k * constant;
}

void gmm_objective(int d, int k, int n, const double *restrict alphas, const double *restrict means,
                   const double *restrict icf, const double *restrict x, double gamma, int m, double *restrict err) {
    int stride = d * (d + 1) / 2;
    double *diagonals = malloc((size_t)d * k * sizeof *diagonals);
    double *sums = malloc((size_t)k * sizeof *sums);
    double *centred = malloc((size_t)d * sizeof *centred);
    double *mapped = malloc((size_t)d * sizeof *mapped);
    double *terms = malloc((size_t)k * sizeof *terms);

    prepare(d, k, icf, diagonals, sums);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < k; c++) {
            for (int j = 0; j < d; j++) centred[j] = x[(long)i * d + j] - means[(long)c * d + j];
            multiply(d, diagonals + (long)c * d, icf + (long)c * stride + d, centred, mapped);
            terms[c] = alphas[c] + sums[c] - 0.5 * square_norm(d, mapped);
        }
        sum += log_sum_exp(k, terms);
    }
    *err = sum - n * log_sum_exp(k, alphas) - 0.5 * n * d * LOG_2PI
         + log_wishart(d, k, gamma, m, diagonals, sums, icf);

    free(diagonals);
    free(sums);
    free(centred);
    free(mapped);
    free(terms);
}
