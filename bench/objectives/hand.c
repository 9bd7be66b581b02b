/* The hand tracking residuals of hand.h. */
#include "hand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* out = a b, both affine. */
static void compose(const double *restrict a, const double *restrict b, double *restrict out) {
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 3; row++) {
            double sum = a[row] * b[3 * column] + a[3 + row] * b[3 * column + 1] + a[6 + row] * b[3 * column + 2];
            out[3 * column + row] = column == 3 ? sum + a[9 + row] : sum;
        }
}

/* The rotation about a vector by its length, column by column; to first order where that is zero. */
static void rotation_of_vector(const double *restrict v, double *restrict r) {
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double c = 1.0, s = 1.0, k = 0.0; /* cos a, sin a / a, (1 - cos a) / a^2 */
    if (square != 0.0) {
        double angle = sqrt(square);
        c = cos(angle);
        s = sin(angle) / angle;
        k = (1.0 - c) / square;
    }
    for (int column = 0; column < 3; column++)
        for (int row = 0; row < 3; row++) r[3 * column + row] = k * v[row] * v[column];
    for (int i = 0; i < 3; i++) r[4 * i] += c;
    r[1] += s * v[2], r[3] -= s * v[2];
    r[2] -= s * v[1], r[6] += s * v[1];
    r[5] += s * v[0], r[7] -= s * v[0];
}

/* The place of a bone relative to its parent: base, then bent about x and spread about z. */
static void articulate(const double *restrict base, double bend, double spread, double *restrict out) {
    double cb = cos(bend), sb = sin(bend), cs = cos(spread), ss = sin(spread);
    const double rotation[HAND_PLACE] = {cs, ss, 0.0, -ss * cb, cs * cb, sb, ss * sb, -cs * sb, cb, 0.0, 0.0, 0.0};
    compose(base, rotation, out);
}

/* Per bone: bending and spreading angle. */
static void angles_of(int bones, const double *restrict fingers, double *restrict bend, double *restrict spread) {
    memset(bend, 0, (size_t)bones * sizeof *bend);
    memset(spread, 0, (size_t)bones * sizeof *spread);
    for (int f = 0; f < HAND_FINGERS; f++) {
        int second = 4 * f + 2;
        bend[second] = fingers[4 * f];
        spread[second] = fingers[4 * f + 1];
        bend[second + 1] = fingers[4 * f + 2];
        bend[second + 2] = fingers[4 * f + 3];
    }
}

/* transforms[bone] takes a base position to where that bone carries it. */
static void pose(int bones, const int *restrict parents, const double *restrict relative, const double *restrict inverse_base,
                 const double *restrict fingers, double *restrict transforms) {
    size_t size = (size_t)bones * HAND_PLACE;
    double *places = malloc(size * sizeof *places);
    double *bend = malloc((size_t)bones * sizeof *bend);
    double *spread = malloc((size_t)bones * sizeof *spread);
    angles_of(bones, fingers, bend, spread);
    for (int b = 0; b < bones; b++) {
        double local[HAND_PLACE], *place = places + (long)b * HAND_PLACE;
        articulate(relative + (long)b * HAND_PLACE, bend[b], spread[b], local);
        if (parents[b] < 0) memcpy(place, local, sizeof local);
        else compose(places + (long)parents[b] * HAND_PLACE, local, place);
        compose(place, inverse_base + (long)b * HAND_PLACE, transforms + (long)b * HAND_PLACE);
    }
    free(places);
    free(bend);
    free(spread);
}

void hand_objective(int bones, const int *restrict parents, const double *restrict relative,
                    const double *restrict inverse_base, const double *restrict positions, const int *restrict starts,
                    const int *restrict weight_bones, const double *restrict weights, int is_mirrored, int points,
                    const int *restrict vertex_of, const double *restrict data, const double *restrict theta,
                    double *restrict residual) {
    double *transforms = malloc((size_t)bones * HAND_PLACE * sizeof *transforms);
    double global[9];
    pose(bones, parents, relative, inverse_base, theta + 6, transforms);
    rotation_of_vector(theta, global);
    for (int i = 0; i < points; i++) {
        int vertex = vertex_of[i];
        const double *position = positions + 3 * (long)vertex;
        double v[3] = {0.0, 0.0, 0.0};
        for (int e = starts[vertex]; e < starts[vertex + 1]; e++) {
            const double *t = transforms + (long)weight_bones[e] * HAND_PLACE;
            for (int row = 0; row < 3; row++)
                v[row] += weights[e] * (t[row] * position[0] + t[3 + row] * position[1] + t[6 + row] * position[2] + t[9 + row]);
        }
        if (is_mirrored) v[0] = -v[0];
        for (int row = 0; row < 3; row++) {
            double turned = global[row] * v[0] + global[3 + row] * v[1] + global[6 + row] * v[2];
            residual[3 * (long)i + row] = data[3 * (long)i + row] - (turned + theta[3 + row]);
        }
    }
    free(transforms);
}
