/* The gradient of gmm.h's objective, by hand. */
#ifndef GMM_BY_HAND_H
#define GMM_BY_HAND_H

/* The shadows are added to: errb times the gradient. */
void gmm_by_hand(int d, int k, int n, const double *restrict alphas, double *restrict alphasb, const double *restrict means,
                 double *restrict meansb, const double *restrict icf, double *restrict icfb, const double *restrict x,
                 double gamma, int m, double *restrict err, const double *restrict errb);

#endif
