/* The sparse Jacobian of bundle adjustment: rows of observations by adcc and by hand, tangents of everything by adcc. */
#ifndef BA_ROWS_H
#define BA_ROWS_H

#include "ba.h"

/* Of a residual: camera 11, point 3, weight 1. */
enum { BA_ROW = BA_CAMERA + 3 + 1 };

/* Per observation two rows; then per weight the derivative of its own residual. All added to rows[p][2][BA_ROW], weight_rows[p].
 * Residuals as ba_objective gives them. */
void ba_rows(int p, const double *restrict cameras, const double *restrict points, const double *restrict weights,
             const int *restrict pairs, const double *restrict features, double *restrict residuals,
             double *restrict weight_residuals, double *restrict rows, double *restrict weight_rows);
void ba_rows_by_hand(int p, const double *restrict cameras, const double *restrict points, const double *restrict weights,
                     const int *restrict pairs, const double *restrict features, double *restrict residuals,
                     double *restrict weight_residuals, double *restrict rows, double *restrict weight_rows);

void ba_tangent(int n, int m, int p, const double *cameras, const double *camerasd, const double *points, const double *pointsd,
                const double *weights, const double *weightsd, const int *pairs, const double *features, double *residuals,
                double *residualsd, double *weight_residuals, double *weight_residualsd);

#endif
