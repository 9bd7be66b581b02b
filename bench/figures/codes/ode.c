/* The Brusselator by Runge-Kutta: with respect to the four parameters and the initial state. */
#include "figure.h"

#include "brusselator.h"

void brusselator_march_b(const brusselator *model, brusselator *modelb, int steps, double dt, double *state, double *stateb,
                         double *work, double *workb);
void brusselator_march_d(const brusselator *model, const brusselator *modeld, int steps, double dt, double *state,
                         double *stated, double *work, double *workd);

enum { CELLS = 200, STATE = 2 * CELLS, WORK = 10 * CELLS, PARAMETERS = 4, STEPS = 3000 };
enum { INPUTS = PARAMETERS + STATE }; /* one vector: feed, conversion, diffusion[2], state */

static const double dt = 0.002;
static double work[WORK], shadow[WORK];

static brusselator model_of(const double *x) {
    brusselator model = {CELLS, x[0], x[1], {x[2], x[3]}};
    return model;
}

static void primal(const double *x, double *y) {
    brusselator model = model_of(x);
    memcpy(y, x + PARAMETERS, sizeof(double[STATE]));
    brusselator_march(&model, STEPS, dt, y, work);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    brusselator model = model_of(x), modeld = model_of(xd);
    memcpy(y, x + PARAMETERS, sizeof(double[STATE]));
    memcpy(yd, xd + PARAMETERS, sizeof(double[STATE]));
    memset(shadow, 0, sizeof shadow);
    brusselator_march_d(&model, &modeld, STEPS, dt, y, yd, work, shadow);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    brusselator model = model_of(x), modelb = {0};
    memcpy(y, x + PARAMETERS, sizeof(double[STATE]));
    memset(shadow, 0, sizeof shadow);
    brusselator_march_b(&model, &modelb, STEPS, dt, y, yb, work, shadow);
    xb[0] += modelb.feed, xb[1] += modelb.conversion, xb[2] += modelb.diffusion[0], xb[3] += modelb.diffusion[1];
    for (int i = 0; i < STATE; i++) xb[PARAMETERS + i] += yb[i];
}

int main(int count, char **arguments) {
    double *x = figure_alloc(INPUTS, sizeof *x);
    const double parameters[PARAMETERS] = {1.0, 3.0, 8.0, 6.0};
    memcpy(x, parameters, sizeof parameters);
    for (int i = 0; i < STATE; i++) x[PARAMETERS + i] = (i < CELLS ? 1.0 : 3.0) + figure_uniform(-0.3, 0.3);
    figure f = {INPUTS, STATE, x, primal, tangent, adjoint};
    return figure_run(&f, count, arguments);
}
