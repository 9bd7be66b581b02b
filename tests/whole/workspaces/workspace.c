/* Allocates what the model works in, long before the model is differentiated. */
#include "workspace.h"
#include <stdlib.h>

double *scratch;
struct grid *grid;
static double *ends;

void make_workspaces(int count) {
    scratch = malloc(sizeof *scratch);
    grid = calloc(1, sizeof *grid);
    grid->count = count;
    grid->cells = malloc(2 * count * sizeof *grid->cells);
    grid->rows = malloc(2 * sizeof *grid->rows);
    for (int i = 0; i < 2; i++) grid->rows[i] = grid->cells + i * count;
    ends = aligned_alloc(64, 64);
    ends[0] = ends[1] = 0.0;
}

void grow_scratch(int count) { scratch = realloc(scratch, count * sizeof *scratch); }

double *row(int i) { return i < 2 ? grid->rows[i] : ends; }
