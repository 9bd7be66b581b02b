/* Bundle adjustment: cameras before a cloud of points; the transposed Jacobian with respect to all of them, times a seed. */
#include "figure.h"

#include "ba.h"

void ba_objective_b(int n, int m, int p, const double *cameras, double *camerasb, const double *points, double *pointsb,
                    const double *weights, double *weightsb, const int *pairs, const double *features, double *residuals,
                    double *residualsb, double *weight_residuals, double *weight_residualsb);
void ba_objective_d(int n, int m, int p, const double *cameras, const double *camerasd, const double *points,
                    const double *pointsd, const double *weights, const double *weightsd, const int *pairs,
                    const double *features, double *residuals, double *residualsd, double *weight_residuals,
                    double *weight_residualsd);

enum { N = 40, M = 4000, P = 200000 };
enum { POINTS = N * BA_CAMERA, WEIGHTS = POINTS + 3 * M, INPUTS = WEIGHTS + P }; /* one vector: cameras, points, weights */

static int pairs[2 * P];
static double features[2 * P];

static void primal(const double *x, double *y) {
    ba_objective(N, M, P, x, x + POINTS, x + WEIGHTS, pairs, features, y, y + 2 * P);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    ba_objective_d(N, M, P, x, xd, x + POINTS, xd + POINTS, x + WEIGHTS, xd + WEIGHTS, pairs, features, y, yd, y + 2 * P,
                   yd + 2 * P);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    ba_objective_b(N, M, P, x, xb, x + POINTS, xb + POINTS, x + WEIGHTS, xb + WEIGHTS, pairs, features, y, yb, y + 2 * P,
                   yb + 2 * P);
}

int main(int count, char **arguments) {
    double *x = figure_alloc(INPUTS, sizeof *x);
    for (int i = 0; i < N; i++) {
        double *camera = x + BA_CAMERA * i;
        for (int j = 0; j < 6; j++) camera[j] = figure_uniform(-0.3, 0.3); /* rotation, centre */
        camera[6] = figure_uniform(400.0, 600.0);
        for (int j = 7; j < 9; j++) camera[j] = figure_uniform(-5.0, 5.0);
        for (int j = 9; j < 11; j++) camera[j] = figure_uniform(-0.05, 0.05);
    }
    for (int i = 0; i < M; i++) {
        double *point = x + POINTS + 3 * i;
        point[0] = figure_uniform(-1.0, 1.0);
        point[1] = figure_uniform(-1.0, 1.0);
        point[2] = figure_uniform(4.0, 8.0);
    }
    for (int i = 0; i < P; i++) {
        x[WEIGHTS + i] = figure_uniform(0.2, 1.0);
        pairs[2 * i] = i % N;
        pairs[2 * i + 1] = (int)figure_uniform(0.0, M);
        for (int j = 0; j < 2; j++) features[2 * i + j] = figure_uniform(-200.0, 200.0);
    }
    figure f = {INPUTS, 3 * P, x, primal, tangent, adjoint};
    return figure_run(&f, count, arguments);
}
