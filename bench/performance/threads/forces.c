/* Forces between neighbours, which threads add by atomic updates. */
#include "threads.h"

enum { NEIGHBOURS = 20 };
static long particles;
static int *near;
static double *x, *xb, *f, *fb;

#define CODE "forces.h"
#include "both.h"

int main(int count, char **arguments) {
    particles = bench_size(count, arguments, 0);
    near = bench_alloc(particles * NEIGHBOURS, sizeof *near);
    x = bench_numbers(particles, -1.0, 1.0), xb = bench_alloc(particles, sizeof *xb);
    f = bench_alloc(particles, sizeof *f), fb = bench_alloc(particles, sizeof *fb);
    for (long k = 0; k < particles * NEIGHBOURS; k++) near[k] = (int)((k / NEIGHBOURS + 1 + (long)bench_uniform(0, 200)) % particles);
    const threads code = {particles, x, xb, serial_value, team_value, serial_gradient, team_gradient};
    return threads_run(&code, count, arguments);
}
