/* The Brusselator on a line, by the classical Runge-Kutta method. */
#ifndef BRUSSELATOR_H
#define BRUSSELATOR_H

typedef struct brusselator {
    int cells;
    double feed, conversion;
    double diffusion[2];
} brusselator;

/* state[2][cells], overwritten by what it is after so many steps; work[10][cells]. */
void brusselator_march(const brusselator *model, int steps, double dt, double *state, double *work);

#endif
