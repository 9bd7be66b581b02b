/* What a step of descent over a matrix needs: half the square norm of W x - b, with respect to all elements of W. */
#ifndef MATRIX_DESCENT_H
#define MATRIX_DESCENT_H

/* w[n][n], row by row. */
void matrix_descent(long n, const double *restrict w, const double *restrict x, const double *restrict b, double *restrict y);

/* wb += yb times the gradient with respect to w. */
void matrix_descent_by_hand(long n, const double *restrict w, double *restrict wb, const double *restrict x,
                            const double *restrict b, double *restrict y, const double *restrict yb);

#endif
