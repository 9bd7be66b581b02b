/* One sweep over the points: the weight of a component at a point is known as soon as all components of that point are, so
 * derivatives are added up at once. Nothing is kept per point. */
#include "gmm_by_hand.h"

#include <math.h>
#include <stdlib.h>

#define LOG_PI 1.14472988584940017414
#define LOG_2PI 1.83787706640934548356
#define LOG_2 0.69314718055994530942

/* v becomes exp(v - logsumexp(v)); returns logsumexp(v). */
static double normalise(int n, double *restrict v) {
    double largest = v[0], sum = 0.0;
    for (int i = 1; i < n; i++) largest = v[i] > largest ? v[i] : largest;
    for (int i = 0; i < n; i++) sum += v[i] = exp(v[i] - largest);
    for (int i = 0; i < n; i++) v[i] /= sum;
    return largest + log(sum);
}

/* mapped = Q centred; half the square norm of that. */
static double map(int d, const double *restrict diagonal, const double *restrict lower, const double *restrict centred,
                  double *restrict mapped) {
    for (int j = 0; j < d; j++) mapped[j] = diagonal[j] * centred[j];
    for (int column = 0; column < d - 1; column++) {
        double factor = centred[column];
        for (int row = column + 1; row < d; row++) mapped[row] += lower[row - column - 1] * factor;
        lower += d - column - 1;
    }
    double sum = 0.0;
    for (int j = 0; j < d; j++) sum += mapped[j] * mapped[j];
    return 0.5 * sum;
}

/* Adds the derivatives of -weight |Q centred|^2 / 2. */
static void map_adjoint(int d, double weight, const double *restrict diagonal, double *restrict diagonalb,
                        const double *restrict lower, double *restrict lowerb, const double *restrict centred,
                        double *restrict meanb, double *restrict mapped) {
    for (int j = 0; j < d; j++) mapped[j] *= weight;
    for (int j = 0; j < d; j++) {
        diagonalb[j] -= mapped[j] * centred[j];
        meanb[j] += mapped[j] * diagonal[j];
    }
    for (int column = 0; column < d - 1; column++) {
        double factor = centred[column], sum = 0.0;
        int count = d - column - 1;
        const double *below = mapped + column + 1;
        for (int i = 0; i < count; i++) lowerb[i] -= below[i] * factor;
        for (int i = 0; i < count; i++) sum += lower[i] * below[i];
        meanb[column] += sum;
        lower += count, lowerb += count;
    }
}

static double log_gamma_multivariate(double a, int d) {
    double sum = 0.25 * d * (d - 1) * LOG_PI;
    for (int j = 1; j <= d; j++) sum += lgamma(a + 0.5 * (1 - j));
    return sum;
}

void gmm_by_hand(int d, int k, int n, const double *restrict alphas, double *restrict alphasb, const double *restrict means,
                 double *restrict meansb, const double *restrict icf, double *restrict icfb, const double *restrict x,
                 double gamma, int m, double *restrict err, const double *restrict errb) {
    int stride = d * (d + 1) / 2, freedom = d + m + 1;
    double *memory = calloc((size_t)k * (4 * d + 3), sizeof *memory), seed = *errb;
    double *diagonals = memory, *diagonalsb = memory + (long)k * d, *centred = memory + (long)k * 2 * d;
    double *mapped = memory + (long)k * 3 * d, *sums = memory + (long)k * 4 * d, *sumsb = sums + k, *terms = sumsb + k;
    double total = 0.0;
    for (int c = 0; c < k; c++)
        for (int j = 0; j < d; j++) {
            diagonals[c * d + j] = exp(icf[(long)c * stride + j]);
            sums[c] += icf[(long)c * stride + j];
        }
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < k; c++) {
            for (int j = 0; j < d; j++) centred[c * d + j] = x[(long)i * d + j] - means[c * d + j];
            terms[c] = alphas[c] + sums[c]
                     - map(d, diagonals + c * d, icf + (long)c * stride + d, centred + c * d, mapped + c * d);
        }
        total += normalise(k, terms);
        for (int c = 0; c < k; c++) {
            double weight = seed * terms[c];
            sumsb[c] += weight;
            map_adjoint(d, weight, diagonals + c * d, diagonalsb + c * d, icf + (long)c * stride + d, icfb + (long)c * stride + d,
                        centred + c * d, meansb + c * d, mapped + c * d);
        }
    }
    for (int c = 0; c < k; c++) alphasb[c] += sumsb[c], terms[c] = alphas[c];
    total -= n * normalise(k, terms);
    for (int c = 0; c < k; c++) {
        const double *q = icf + (long)c * stride;
        double *qb = icfb + (long)c * stride, *diagonal = diagonals + c * d, square = 0.0;
        alphasb[c] -= seed * n * terms[c];
        for (int j = 0; j < d; j++) {
            square += diagonal[j] * diagonal[j];
            qb[j] += sumsb[c] - seed * m
                   + (diagonalsb[c * d + j] + seed * gamma * gamma * diagonal[j]) * diagonal[j];
        }
        for (int j = d; j < stride; j++) {
            square += q[j] * q[j];
            qb[j] += seed * gamma * gamma * q[j];
        }
        total += 0.5 * gamma * gamma * square - m * sums[c];
    }
    double constant = freedom * d * (log(gamma) - 0.5 * LOG_2) - log_gamma_multivariate(0.5 * freedom, d);
    *err = total - k * constant - 0.5 * n * d * LOG_2PI;
    free(memory);
}
