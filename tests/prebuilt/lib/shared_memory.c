/* Memory that is mapped twice, at addresses one behind the other, as ring buffers are. */
#define _GNU_SOURCE
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shared_memory.h"

enum { BYTES = 1 << 16, N = BYTES / sizeof(double) };
static double *ring;

static double *open_ring(void) {
    int file = memfd_create("ring", 0);
    if (file < 0 || ftruncate(file, BYTES)) return 0;
    char *both = mmap(0, 2 * BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int k = 0; k < 2; k++) mmap(both + k * BYTES, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    close(file);
    return (double *)both;
}
void ring_open(void) { ring = open_ring(); }
void ring_close(void) { munmap(ring, 2 * BYTES); }

/* Two numbers over the end, the second of which is read at the beginning. */
static double average(double *in, double x) {
    in[N - 1] = x * x;
    in[N] = sin(x);
    return 0.5 * (in[N - 1] + in[0]);
}
double ring_average(double x) { return average(ring, x); }
double ring_closed(double x) {
    double *in = open_ring(), y = average(in, x);
    munmap(in, 2 * BYTES);
    return y;
}
/* What no number depends on may be there. */
double ring_scaled(const double *x) {
    ring[N] = 3;
    return x[0] * x[1] * ring[0];
}
