#include "model.h"
#include <math.h>
#include <stdlib.h>

struct grid *grid;

void make_grid(void) {
    grid = calloc(1, sizeof *grid);
    for (int k = 0; k < 2; k++) {
        grid->levels[k] = calloc(1, sizeof *grid->levels[k]);
        grid->levels[k]->cells = calloc(COUNT, sizeof(double));
        grid->levels[k]->count = COUNT;
    }
    grid->weights = calloc(COUNT, sizeof(double));
    for (int i = 0; i < COUNT; i++) grid->weights[i] = 1.0 / (1 + i);
    keep(grid->levels[1]->cells);
}

/* The library comes to the cells by its own pointers, and by those of the grid; some of these nobody has loaded yet. */
double model(const double *x) {
    double sum = 0.0;
    double *first = grid->levels[0]->cells;
    for (int i = 0; i < COUNT; i++) first[i] = sin(x[i]) * prebuilt(x[0]);
    smooth(grid, x[1]);
    double *second = grid->levels[1]->cells;
    for (int i = 0; i < COUNT; i++) sum += first[i] * x[i], second[i] = x[i] * x[i] + first[i];
    smooth(grid, 0.5);
    for (int i = 0; i < COUNT; i++) sum += second[i] * first[i];
    return sum + kept_sum(COUNT);
}

double weigh(const double *x, const double *weights) {
    double sum = 0.0;
    for (int i = 0; i < COUNT; i++) grid->levels[0]->cells[i] = prebuilt(x[i]) * x[i];
    for (int i = 0; i < COUNT; i++) sum += weights[i] * x[i];
    return sum;
}
