#include <stdlib.h>
#include "ad.h"

static double *grid;
static int n;

void set_up(int count) { n = count, grid = malloc(n * sizeof *grid); }
void keep(void) { ad_checkpoint_state(grid, n * sizeof *grid); }
void reset(double a) { for (int i = 0; i < n; i++) grid[i] = a + 0.1 * i; }
void step(double a) {
    for (int i = 0; i < n; i++) grid[i] = 0.5 * grid[i] + 0.1 * a * grid[(i + 1) % n] * grid[i] + 0.01 * a;
}
double total(void) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += grid[i] * grid[i];
    return sum;
}
