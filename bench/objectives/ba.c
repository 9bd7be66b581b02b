/* The bundle adjustment residuals of ba.h. */
#include "ba.h"

#include <math.h>

/* out = v rotated about `rotation` by its length (Rodrigues); to first order where that is zero. */
static void rotate(const double *restrict rotation, const double *restrict v, double *restrict out) {
    double square = rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2];
    double c = 1.0, s = 1.0, along = 0.0, scale = 1.0;
    if (square != 0.0) {
        double angle = sqrt(square);
        c = cos(angle);
        s = sin(angle);
        scale = 1.0 / angle;
        along = scale * scale * (1.0 - c) * (rotation[0] * v[0] + rotation[1] * v[1] + rotation[2] * v[2]);
    }
    s *= scale;
    out[0] = c * v[0] + s * (rotation[1] * v[2] - rotation[2] * v[1]) + along * rotation[0];
    out[1] = c * v[1] + s * (rotation[2] * v[0] - rotation[0] * v[2]) + along * rotation[1];
    out[2] = c * v[2] + s * (rotation[0] * v[1] - rotation[1] * v[0]) + along * rotation[2];
}

/* The radial distortion of a point in the image plane, in place. */
static void distort(const double *restrict radial, double *restrict q) {
    double square = q[0] * q[0] + q[1] * q[1];
    double factor = 1.0 + radial[0] * square + radial[1] * square * square;
    q[0] *= factor;
    q[1] *= factor;
}

static void project(const double *restrict camera, const double *restrict point, double *restrict seen) {
    const double *rotation = camera, *centre = camera + 3, *principal = camera + 7, *radial = camera + 9;
    double focal = camera[6], relative[3], turned[3];
    for (int i = 0; i < 3; i++) relative[i] = point[i] - centre[i];
    rotate(rotation, relative, turned);
    seen[0] = turned[0] / turned[2];
    seen[1] = turned[1] / turned[2];
    distort(radial, seen);
    seen[0] = focal * seen[0] + principal[0];
    seen[1] = focal * seen[1] + principal[1];
}

void ba_residual(const double *restrict camera, const double *restrict point, const double *restrict weight,
                 const double *restrict feature, double *restrict residual) {
    double seen[2];
    project(camera, point, seen);
    residual[0] = *weight * (seen[0] - feature[0]);
    residual[1] = *weight * (seen[1] - feature[1]);
}

void ba_weight_residual(const double *restrict weight, double *restrict residual) {
    *residual = 1.0 - *weight * *weight;
}

void ba_objective(int n, int m, int p, const double *restrict cameras, const double *restrict points,
                  const double *restrict weights, const int *restrict pairs, const double *restrict features,
                  double *restrict residuals, double *restrict weight_residuals) {
    (void)n, (void)m;
    for (int i = 0; i < p; i++) {
        const double *camera = cameras + (long)pairs[2 * i] * BA_CAMERA, *point = points + (long)pairs[2 * i + 1] * 3;
        ba_residual(camera, point, weights + i, features + 2 * (long)i, residuals + 2 * (long)i);
    }
    for (int i = 0; i < p; i++) ba_weight_residual(weights + i, weight_residuals + i);
}
