/* Logarithms of mixtures of Gaussians, by their weights and means, summed over points. */
#include "threads.h"

enum { DIMENSIONS = 8, COMPONENTS = 10 };
static long points;
/* Weights, then means. */
static double *data, *x, *xb;

#define CODE "mixture.h"
#include "both.h"

int main(int count, char **arguments) {
    points = bench_size(count, arguments, 0);
    data = bench_numbers(points * DIMENSIONS, -1.0, 1.0);
    x = bench_numbers(COMPONENTS * (1 + DIMENSIONS), -1.0, 1.0), xb = bench_alloc(COMPONENTS * (1 + DIMENSIONS), sizeof *xb);
    const threads code = {COMPONENTS * (1 + DIMENSIONS), x, xb, serial_value, team_value, serial_gradient, team_gradient};
    return threads_run(&code, count, arguments);
}
