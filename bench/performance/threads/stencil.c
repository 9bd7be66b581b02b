/* Explicit steps of a nonlinear diffusion equation in one dimension. */
#include "threads.h"

static long cells, steps;
static double *start, *x, *y, *xb, *yb;

#define CODE "stencil.h"
#include "both.h"

int main(int count, char **arguments) {
    cells = bench_size(count, arguments, 0), steps = bench_size(count, arguments, 1);
    start = bench_numbers(cells, 0.2, 0.8);
    x = bench_alloc(cells, sizeof *x), y = bench_alloc(cells, sizeof *y);
    xb = bench_alloc(cells, sizeof *xb), yb = bench_alloc(cells, sizeof *yb);
    const threads code = {cells, start, xb, serial_value, team_value, serial_gradient, team_gradient};
    return threads_run(&code, count, arguments);
}
