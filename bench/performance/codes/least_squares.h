/* Linear least squares: half the square norm of A x - b. */
#ifndef LEAST_SQUARES_H
#define LEAST_SQUARES_H

/* a[n][m]: n columns of m numbers. */
void least_squares(long m, long n, const double *restrict a, const double *restrict b, const double *restrict x,
                   double *restrict y);

/* xb += yb times the gradient with respect to x. */
void least_squares_by_hand(long m, long n, const double *restrict a, const double *restrict b, const double *restrict x,
                           double *restrict xb, double *restrict y, const double *restrict yb);

#endif
