/* Both rows of an observation at once, by the chain rule: rotation, projection, distortion. */
#include "ba_rows.h"

#include <math.h>

/* out = c v + s (rotation x v) + k (rotation v) rotation; by_v[3][3] and by_rotation[3][3] are its derivatives, row by row. */
static void rotate(const double *restrict rotation, const double *restrict v, double *restrict out, double by_v[3][3],
                   double by_rotation[3][3]) {
    double square = rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2];
    /* cos a, sin a / a, (1 - cos a) / a^2; and of those the derivatives by rotation[i], over rotation[i]. */
    double c = 1.0, s = 1.0, k = 0.0, cd = 0.0, sd = 0.0, kd = 0.0;
    if (square != 0.0) {
        double angle = sqrt(square), over = 1.0 / square;
        c = cos(angle);
        s = sin(angle) / angle;
        k = (1.0 - c) * over;
        cd = -s;
        sd = (c - s) * over;
        kd = (s - 2.0 * k) * over;
    }
    double x = rotation[0], y = rotation[1], z = rotation[2], along = x * v[0] + y * v[1] + z * v[2];
    const double cross[3] = {y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]};
    const double crossing[3][3] = {{0.0, -z, y}, {z, 0.0, -x}, {-y, x, 0.0}};      /* rotation x v by v */
    const double crossed[3][3] = {{0.0, v[2], -v[1]}, {-v[2], 0.0, v[0]}, {v[1], -v[0], 0.0}}; /* by rotation */
    for (int i = 0; i < 3; i++) {
        out[i] = c * v[i] + s * cross[i] + k * along * rotation[i];
        double radial = cd * v[i] + sd * cross[i] + kd * along * rotation[i];
        for (int j = 0; j < 3; j++) {
            by_v[i][j] = s * crossing[i][j] + k * rotation[i] * rotation[j];
            by_rotation[i][j] = radial * rotation[j] + s * crossed[i][j] + k * rotation[i] * v[j];
        }
        by_v[i][i] += c;
        by_rotation[i][i] += k * along;
    }
}

static void observation(const double *restrict camera, const double *restrict point, double weight, const double *restrict feature,
                        double *restrict residual, double *restrict rows) {
    const double *principal = camera + 7;
    double focal = camera[6], k1 = camera[9], k2 = camera[10], relative[3], turned[3], by_v[3][3], by_rotation[3][3];
    for (int i = 0; i < 3; i++) relative[i] = point[i] - camera[3 + i];
    rotate(camera, relative, turned, by_v, by_rotation);
    double over = 1.0 / turned[2], q[2] = {turned[0] * over, turned[1] * over}, square = q[0] * q[0] + q[1] * q[1];
    double factor = 1.0 + (k1 + k2 * square) * square, slope = 2.0 * (k1 + 2.0 * k2 * square), scale = weight * focal;
    for (int r = 0; r < 2; r++) {
        double *row = rows + r * BA_ROW, distorted = factor * q[r], seen = focal * distorted + principal[r];
        /* By q, and then by what was turned. */
        double by0 = slope * q[r] * q[0] + (r == 0 ? factor : 0.0), by1 = slope * q[r] * q[1] + (r == 1 ? factor : 0.0);
        double t[3] = {scale * over * by0, scale * over * by1, -scale * over * (by0 * q[0] + by1 * q[1])};
        residual[r] = weight * (seen - feature[r]);
        for (int j = 0; j < 3; j++) {
            double by_point = t[0] * by_v[0][j] + t[1] * by_v[1][j] + t[2] * by_v[2][j];
            row[j] += t[0] * by_rotation[0][j] + t[1] * by_rotation[1][j] + t[2] * by_rotation[2][j];
            row[3 + j] -= by_point;
            row[BA_CAMERA + j] += by_point;
        }
        row[6] += weight * distorted;
        row[7 + r] += weight;
        row[9] += scale * square * q[r];
        row[10] += scale * square * square * q[r];
        row[BA_CAMERA + 3] += seen - feature[r];
    }
}

void ba_rows_by_hand(int p, const double *restrict cameras, const double *restrict points, const double *restrict weights,
                     const int *restrict pairs, const double *restrict features, double *restrict residuals,
                     double *restrict weight_residuals, double *restrict rows, double *restrict weight_rows) {
    for (long i = 0; i < p; i++)
        observation(cameras + (long)pairs[2 * i] * BA_CAMERA, points + (long)pairs[2 * i + 1] * 3, weights[i], features + 2 * i,
                    residuals + 2 * i, rows + 2 * i * BA_ROW);
    for (long i = 0; i < p; i++) {
        weight_residuals[i] = 1.0 - weights[i] * weights[i];
        weight_rows[i] -= 2.0 * weights[i];
    }
}
