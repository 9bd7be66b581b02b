/* Logarithm of a sum of exponentials, without overflow. */
#ifndef LSE_H
#define LSE_H

void lse(long n, const double *restrict x, double *restrict y);

/* xb += yb times the gradient; y as above. */
void lse_by_hand(long n, const double *restrict x, double *restrict xb, double *restrict y, const double *restrict yb);

#endif
