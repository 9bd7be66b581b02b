/* The loop over points needs nothing kept: its derivatives are added up as residuals are computed. The chain of bones is taken back at the
 * end, from places that are kept. */
#include "hand_by_hand.h"

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

/* ab += what outb gives to the left factor. */
static void compose_left(const double *restrict b, const double *restrict outb, double *restrict ab) {
    for (int k = 0; k < 3; k++)
        for (int row = 0; row < 3; row++)
            ab[3 * k + row] += outb[row] * b[k] + outb[3 + row] * b[3 + k] + outb[6 + row] * b[6 + k] + outb[9 + row] * b[9 + k];
    for (int row = 0; row < 3; row++) ab[9 + row] += outb[9 + row];
}

/* bb = what outb gives to the right factor. */
static void compose_right(const double *restrict a, const double *restrict outb, double *restrict bb) {
    for (int column = 0; column < 4; column++)
        for (int k = 0; k < 3; k++)
            bb[3 * column + k] = a[3 * k] * outb[3 * column] + a[3 * k + 1] * outb[3 * column + 1] + a[3 * k + 2] * outb[3 * column + 2];
}

static void articulate(const double *restrict base, double bend, double spread, double *restrict out) {
    double cb = cos(bend), sb = sin(bend), cs = cos(spread), ss = sin(spread);
    const double rotation[HAND_PLACE] = {cs, ss, 0.0, -ss * cb, cs * cb, sb, ss * sb, -cs * sb, cb, 0.0, 0.0, 0.0};
    compose(base, rotation, out);
}

static void articulate_adjoint(const double *restrict base, double bend, double spread, const double *restrict outb,
                               double *restrict bendb, double *restrict spreadb) {
    double cb = cos(bend), sb = sin(bend), cs = cos(spread), ss = sin(spread), r[HAND_PLACE];
    compose_right(base, outb, r);
    *bendb += r[3] * ss * sb - r[4] * cs * sb + r[5] * cb + r[6] * ss * cb - r[7] * cs * cb - r[8] * sb;
    *spreadb += -r[0] * ss + r[1] * cs - r[3] * cs * cb - r[4] * ss * cb + r[6] * cs * sb + r[7] * ss * sb;
}

/* The rotation about v by its length; rb not null: vb += what that gives to v. */
static void rotation(const double *restrict v, double *restrict r, const double *restrict rb, double *restrict vb) {
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    /* cos a, sin a / a, (1 - cos a) / a^2; and of those the derivatives by v[i], over v[i]. */
    double c = 1.0, s = 1.0, k = 0.0, cd = 0.0, sd = 0.0, kd = 0.0;
    if (square != 0.0) {
        double angle = sqrt(square);
        c = cos(angle);
        s = sin(angle) / angle;
        k = (1.0 - c) / square;
        cd = -s;
        sd = (c - s) / square;
        kd = (s - 2.0 * k) / square;
    }
    if (!rb) {
        for (int column = 0; column < 3; column++)
            for (int row = 0; row < 3; row++) r[3 * column + row] = k * v[row] * v[column];
        for (int i = 0; i < 3; i++) r[4 * i] += c;
        r[1] += s * v[2], r[3] -= s * v[2];
        r[2] -= s * v[1], r[6] += s * v[1];
        r[5] += s * v[0], r[7] -= s * v[0];
        return;
    }
    const double turn[3] = {rb[5] - rb[7], rb[6] - rb[2], rb[1] - rb[3]};
    double cb = rb[0] + rb[4] + rb[8], sb = turn[0] * v[0] + turn[1] * v[1] + turn[2] * v[2], kb = 0.0;
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (int j = 0; j < 3; j++) {
            kb += rb[3 * j + i] * v[i] * v[j];
            sum += (rb[3 * j + i] + rb[3 * i + j]) * v[j];
        }
        vb[i] += k * sum + s * turn[i];
    }
    for (int i = 0; i < 3; i++) vb[i] += (cb * cd + sb * sd + kb * kd) * v[i];
}

void hand_by_hand(int bones, const int *restrict parents, const double *restrict relative, const double *restrict inverse_base,
                  const double *restrict positions, const int *restrict starts, const int *restrict weight_bones,
                  const double *restrict weights, int is_mirrored, int points, const int *restrict vertex_of,
                  const double *restrict data, const double *restrict theta, double *restrict thetab, double *restrict residual,
                  const double *restrict residualb) {
    long size = (long)bones * HAND_PLACE;
    double *memory = calloc((size_t)(5 * size + 4 * bones), sizeof *memory);
    double *places = memory, *placesb = places + size, *locals = placesb + size, *transforms = locals + size;
    double *transformsb = transforms + size, *bend = transformsb + size, *spread = bend + bones, *bendb = spread + bones;
    double *spreadb = bendb + bones, global[9], globalb[9] = {0.0};
    const double *fingers = theta + 6;
    for (int f = 0; f < HAND_FINGERS; f++) {
        int second = 4 * f + 2;
        bend[second] = fingers[4 * f], spread[second] = fingers[4 * f + 1];
        bend[second + 1] = fingers[4 * f + 2], bend[second + 2] = fingers[4 * f + 3];
    }
    for (int b = 0; b < bones; b++) {
        double *local = locals + (long)b * HAND_PLACE, *place = places + (long)b * HAND_PLACE;
        articulate(relative + (long)b * HAND_PLACE, bend[b], spread[b], local);
        if (parents[b] < 0) memcpy(place, local, HAND_PLACE * sizeof *place);
        else compose(places + (long)parents[b] * HAND_PLACE, local, place);
        compose(place, inverse_base + (long)b * HAND_PLACE, transforms + (long)b * HAND_PLACE);
    }
    rotation(theta, global, NULL, NULL);

    for (int i = 0; i < points; i++) {
        int vertex = vertex_of[i];
        const double *p = positions + 3 * (long)vertex, *bar = residualb + 3 * (long)i;
        double v[3] = {0.0, 0.0, 0.0}, vb[3];
        for (int e = starts[vertex]; e < starts[vertex + 1]; e++) {
            const double *t = transforms + (long)weight_bones[e] * HAND_PLACE;
            for (int row = 0; row < 3; row++)
                v[row] += weights[e] * (t[row] * p[0] + t[3 + row] * p[1] + t[6 + row] * p[2] + t[9 + row]);
        }
        if (is_mirrored) v[0] = -v[0];
        for (int row = 0; row < 3; row++) {
            double turned = global[row] * v[0] + global[3 + row] * v[1] + global[6 + row] * v[2];
            residual[3 * (long)i + row] = data[3 * (long)i + row] - (turned + theta[3 + row]);
            thetab[3 + row] -= bar[row];
            for (int column = 0; column < 3; column++) globalb[3 * column + row] -= bar[row] * v[column];
        }
        for (int k = 0; k < 3; k++) vb[k] = -(global[3 * k] * bar[0] + global[3 * k + 1] * bar[1] + global[3 * k + 2] * bar[2]);
        if (is_mirrored) vb[0] = -vb[0];
        for (int e = starts[vertex]; e < starts[vertex + 1]; e++) {
            double *t = transformsb + (long)weight_bones[e] * HAND_PLACE;
            for (int row = 0; row < 3; row++) {
                double scaled = weights[e] * vb[row];
                t[row] += scaled * p[0], t[3 + row] += scaled * p[1], t[6 + row] += scaled * p[2], t[9 + row] += scaled;
            }
        }
    }

    rotation(theta, NULL, globalb, thetab);
    for (int b = bones - 1; b >= 0; b--) {
        double local[HAND_PLACE], *placeb = placesb + (long)b * HAND_PLACE;
        const double *localb = placeb;
        compose_left(inverse_base + (long)b * HAND_PLACE, transformsb + (long)b * HAND_PLACE, placeb);
        if (parents[b] >= 0) {
            long parent = (long)parents[b] * HAND_PLACE;
            compose_left(locals + (long)b * HAND_PLACE, placeb, placesb + parent);
            compose_right(places + parent, placeb, local);
            localb = local;
        }
        articulate_adjoint(relative + (long)b * HAND_PLACE, bend[b], spread[b], localb, bendb + b, spreadb + b);
    }
    for (int f = 0; f < HAND_FINGERS; f++) {
        int second = 4 * f + 2;
        double *bar = thetab + 6 + 4 * f;
        bar[0] += bendb[second], bar[1] += spreadb[second], bar[2] += bendb[second + 1], bar[3] += bendb[second + 2];
    }
    free(memory);
}
