/* Softened potentials of all pairs of bodies. */
#include "threads.h"

static long bodies;
static double *x, *xb;

#define CODE "bodies.h"
#include "both.h"

int main(int count, char **arguments) {
    bodies = bench_size(count, arguments, 0);
    x = bench_numbers(3 * bodies, -1.0, 1.0), xb = bench_alloc(3 * bodies, sizeof *xb);
    const threads code = {3 * bodies, x, xb, serial_value, team_value, serial_gradient, team_gradient};
    return threads_run(&code, count, arguments);
}
