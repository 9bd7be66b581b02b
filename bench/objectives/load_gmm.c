/* Reads or generates instances of the Gaussian mixture objective; see load_gmm.h. */
#include "load_gmm.h"

#include "read_numbers.h"

#include <math.h>
#include <stdint.h>

static size_t icf_size(int d) { return (size_t)d * (d + 1) / 2; }

gmm_instance gmm_load(const char *file) {
    gmm_instance it;
    FILE *stream = read_open(file);
    it.d = read_count(stream, file);
    it.k = read_count(stream, file);
    it.n = read_count(stream, file);
    it.alphas = read_doubles(stream, file, it.k);
    it.means = read_doubles(stream, file, (size_t)it.k * it.d);
    it.icf = read_doubles(stream, file, it.k * icf_size(it.d));
    it.x = read_doubles(stream, file, (size_t)it.n * it.d);
    it.gamma = read_double(stream, file);
    it.m = read_int(stream, file);
    fclose(stream);
    return it;
}

/* splitmix64, as a number in (0, 1). */
static double uniform(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state) {
    double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(6.28318530717958647693 * uniform(state));
}

gmm_instance gmm_generate(int d, int k, int n, unsigned long long seed) {
    uint64_t state = seed;
    gmm_instance it = {.d = d, .k = k, .n = n, .m = 0, .gamma = 1.0};
    size_t stride = icf_size(d);
    it.alphas = read_alloc(k, sizeof(double));
    it.means = read_alloc((size_t)k * d, sizeof(double));
    it.icf = read_alloc(k * stride, sizeof(double));
    it.x = read_alloc((size_t)n * d, sizeof(double));
    for (int i = 0; i < k; i++) it.alphas[i] = 0.5 * normal(&state);
    for (size_t i = 0; i < (size_t)k * d; i++) it.means[i] = 2.0 * normal(&state);
    for (size_t i = 0; i < k * stride; i++) it.icf[i] = 0.3 * normal(&state);
    for (int i = 0; i < n; i++) {
        int centre = (int)(uniform(&state) * k);
        for (int j = 0; j < d; j++) it.x[(size_t)i * d + j] = it.means[(size_t)centre * d + j] + normal(&state);
    }
    return it;
}

void gmm_free(gmm_instance *it) {
    free(it->alphas);
    free(it->means);
    free(it->icf);
    free(it->x);
}
