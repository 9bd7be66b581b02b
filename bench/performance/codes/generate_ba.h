/* Generated inputs of bundle adjustment, in the place of a file: cameras, points, observations are WORDs of the program. */
#ifndef GENERATE_BA_H
#define GENERATE_BA_H

#include "bench.h"

#include "ba.h"
#include "load_ba.h"

static inline ba_instance ba_generate(int count, char **arguments) {
    ba_instance made = {.n = (int)bench_size(count, arguments, 0), .m = (int)bench_size(count, arguments, 1),
                        .p = (int)bench_size(count, arguments, 2)};
    made.cameras = bench_alloc((long)made.n * BA_CAMERA, sizeof(double));
    made.points = bench_alloc(3L * made.m, sizeof(double));
    made.weights = bench_numbers(made.p, 0.2, 1.0);
    made.features = bench_numbers(2L * made.p, -200.0, 200.0);
    made.pairs = bench_alloc(2L * made.p, sizeof(int));
    for (int i = 0; i < made.n; i++) {
        double *camera = made.cameras + (long)i * BA_CAMERA;
        for (int j = 0; j < 6; j++) camera[j] = bench_uniform(-0.3, 0.3); /* rotation, centre */
        camera[6] = bench_uniform(400.0, 600.0);
        for (int j = 7; j < 9; j++) camera[j] = bench_uniform(-5.0, 5.0);
        for (int j = 9; j < 11; j++) camera[j] = bench_uniform(-0.05, 0.05);
    }
    for (int i = 0; i < made.m; i++)
        for (int j = 0; j < 3; j++) made.points[3L * i + j] = j < 2 ? bench_uniform(-1.0, 1.0) : bench_uniform(4.0, 8.0);
    for (int i = 0; i < made.p; i++) made.pairs[2 * i] = i % made.n, made.pairs[2 * i + 1] = i % made.m;
    return made;
}

#endif
