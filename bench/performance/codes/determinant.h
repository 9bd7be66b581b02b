/* The determinant by recursion: expansion along the first row of what is left. */
#ifndef DETERMINANT_H
#define DETERMINANT_H

/* a[n][n], n at most 31. */
void determinant(int n, const double *restrict a, double *restrict y);

/* ab += yb times the gradient, by the same recursion. */
void determinant_by_hand(int n, const double *restrict a, double *restrict ab, double *restrict y, const double *restrict yb);

#endif
