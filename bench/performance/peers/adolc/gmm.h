// Gaussian mixture, as bench/objectives/gmm.c.
#ifndef PEER_GMM_H
#define PEER_GMM_H

#include "peer.h"

struct gmm {
    long d, k, n, m;
    const double *points;
    double gamma;
    template <class T> static T log_sum_exp(long n, const T *v) {
        T largest = v[0], sum = 0.0;
        for (long i = 1; i < n; i++)
            if (v[i] > largest) largest = v[i];
        for (long i = 0; i < n; i++) sum += exp(v[i] - largest);
        return largest + log(sum);
    }
    template <class T> void operator()(const T *alphas, T *err) const {
        const T *means = alphas + k, *icf = means + k * d;
        long stride = d * (d + 1) / 2, freedom = d + m + 1;
        std::vector<T> diagonals(k * d), sums(k), centred(d), mapped(d), terms(k);
        for (long c = 0; c < k; c++) {
            sums[c] = 0.0;
            for (long j = 0; j < d; j++) {
                sums[c] += icf[c * stride + j];
                diagonals[c * d + j] = exp(icf[c * stride + j]);
            }
        }
        T total = 0.0;
        for (long i = 0; i < n; i++) {
            for (long c = 0; c < k; c++) {
                const T *lower = icf + c * stride + d;
                for (long j = 0; j < d; j++) {
                    centred[j] = points[i * d + j] - means[c * d + j];
                    mapped[j] = diagonals[c * d + j] * centred[j];
                }
                for (long column = 0; column < d - 1; column++)
                    for (long row = column + 1; row < d; row++) mapped[row] += *lower++ * centred[column];
                T square = 0.0;
                for (long j = 0; j < d; j++) square += mapped[j] * mapped[j];
                terms[c] = alphas[c] + sums[c] - 0.5 * square;
            }
            total += log_sum_exp(k, terms.data());
        }
        total -= double(n) * log_sum_exp(k, alphas);
        double log_gamma = 0.25 * double(d * (d - 1)) * std::log(M_PI);
        for (long j = 1; j <= d; j++) log_gamma += std::lgamma(0.5 * double(freedom) + 0.5 * double(1 - j));
        double constant = double(freedom * d) * (std::log(gamma) - 0.5 * std::log(2.0)) - log_gamma;
        for (long c = 0; c < k; c++) {
            T square = 0.0;
            for (long j = 0; j < d; j++) square += diagonals[c * d + j] * diagonals[c * d + j];
            for (long j = d; j < stride; j++) square += icf[c * stride + j] * icf[c * stride + j];
            total += 0.5 * gamma * gamma * square - double(m) * sums[c];
        }
        *err = total - double(k) * constant - 0.5 * double(n * d) * std::log(2.0 * M_PI);
    }
};

#endif
