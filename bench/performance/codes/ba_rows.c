/* The objective with its requests: both rows of an observation in one request, as two directions. */
#include "ba_rows.h"

#include <ad.h>

#include "../../objectives/ba.c"

extern void __ad_adjoint_residual(void *f, ...);
extern void __ad_tangent_objective(void *f, ...);

void ba_rows(int p, const double *restrict cameras, const double *restrict points, const double *restrict weights,
             const int *restrict pairs, const double *restrict features, double *restrict residuals,
             double *restrict weight_residuals, double *restrict rows, double *restrict weight_rows) {
    for (long i = 0; i < p; i++) {
        const double *camera = cameras + (long)pairs[2 * i] * BA_CAMERA, *point = points + (long)pairs[2 * i + 1] * 3;
        double *row = rows + 2 * i * BA_ROW, *other = row + BA_ROW, seed[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
        __ad_adjoint_residual((void *)ba_residual, ad_width, 2, ad_dup, camera, row, other, ad_dup, point, row + BA_CAMERA,
                              other + BA_CAMERA, ad_dup, weights + i, row + BA_CAMERA + 3, other + BA_CAMERA + 3, ad_const,
                              features + 2 * i, ad_dup, residuals + 2 * i, seed[0], seed[1]);
    }
    for (long i = 0; i < p; i++) {
        double seed = 1.0;
        __ad_adjoint_residual((void *)ba_weight_residual, ad_dup, weights + i, weight_rows + i, ad_dup, weight_residuals + i, &seed);
    }
}

void ba_tangent(int n, int m, int p, const double *cameras, const double *camerasd, const double *points, const double *pointsd,
                const double *weights, const double *weightsd, const int *pairs, const double *features, double *residuals,
                double *residualsd, double *weight_residuals, double *weight_residualsd) {
    __ad_tangent_objective((void *)ba_objective, n, m, p, ad_dup, cameras, camerasd, ad_dup, points, pointsd, ad_dup, weights, weightsd,
                           ad_const, pairs, ad_const, features, ad_dup, residuals, residualsd, ad_dup, weight_residuals,
                           weight_residualsd);
}
