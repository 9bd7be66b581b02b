/* Reads instances of the bundle adjustment objective; see load_ba.h. */
#include "load_ba.h"

#include "ba.h"
#include "read_numbers.h"

#include <stdint.h>

static uint64_t state;

static double moved(double value, double jitter) {
    uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return value * (1.0 + jitter * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0));
}

/* `count` copies of the next `size` numbers. */
static double *copies(FILE *stream, const char *file, int count, int size, double jitter) {
    double *one = read_doubles(stream, file, size), *all = read_alloc((size_t)count * size, sizeof *all);
    for (size_t i = 0; i < (size_t)count * size; i++) all[i] = moved(one[i % size], jitter);
    free(one);
    return all;
}

ba_instance ba_load(const char *file, double jitter) {
    ba_instance it;
    FILE *stream = read_open(file);
    state = 1;
    it.n = read_count(stream, file);
    it.m = read_count(stream, file);
    it.p = read_count(stream, file);
    it.cameras = copies(stream, file, it.n, BA_CAMERA, jitter);
    it.points = copies(stream, file, it.m, 3, jitter);
    it.weights = copies(stream, file, it.p, 1, jitter);
    it.features = copies(stream, file, it.p, 2, jitter);
    it.pairs = read_alloc((size_t)it.p * 2, sizeof *it.pairs);
    for (int i = 0; i < it.p; i++) {
        it.pairs[2 * i] = i % it.n;
        it.pairs[2 * i + 1] = i % it.m;
    }
    fclose(stream);
    return it;
}

void ba_free(ba_instance *it) {
    free(it->cameras);
    free(it->points);
    free(it->weights);
    free(it->features);
    free(it->pairs);
}
