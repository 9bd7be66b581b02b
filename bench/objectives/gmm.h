/* Log-likelihood of a Gaussian mixture with a Wishart prior.
 *
 * Component k has weight alpha_k (up to normalisation, as a logarithm), mean mu_k, and an inverse covariance given by the
 * square root Q_k: lower triangular, exp(q) on its diagonal. `icf` holds, for each component, the d values q and then
 * the strictly lower triangle column by column: d(d+1)/2 numbers.
 *
 *   err = sum_i logsumexp_k(alpha_k + sum(q_k) - |Q_k (x_i - mu_k)|^2 / 2)
 *       - n logsumexp(alpha) - n d/2 log(2 pi) + log-Wishart(gamma, m)
 */
#ifndef GMM_H
#define GMM_H

/* d dimensions, k components, n points; alphas[k], means[k][d], icf[k][d(d+1)/2], x[n][d]. */
void gmm_objective(int d, int k, int n, const double *restrict alphas, const double *restrict means,
                   const double *restrict icf, const double *restrict x, double gamma, int m, double *restrict err);

#endif
