/* Hand tracking: a hand of 22 bones, a cloud of vertices that each hang on four of them; with respect to theta. */
#include "figure.h"

#include "hand.h"

void hand_objective_b(int bones, const int *parents, const double *relative, const double *inverse_base,
                      const double *positions, const int *starts, const int *weight_bones, const double *weights,
                      int is_mirrored, int points, const int *vertex_of, const double *data, const double *theta,
                      double *thetab, double *residual, double *residualb);
void hand_objective_d(int bones, const int *parents, const double *relative, const double *inverse_base,
                      const double *positions, const int *starts, const int *weight_bones, const double *weights,
                      int is_mirrored, int points, const int *vertex_of, const double *data, const double *theta,
                      const double *thetad, double *residual, double *residuald);

enum { BONES = 22, VERTICES = 2000, POINTS = 400000, PER_VERTEX = 4 };

static int parents[BONES], starts[VERTICES + 1], weight_bones[VERTICES * PER_VERTEX], vertex_of[POINTS];
static double relative[BONES * HAND_PLACE], inverse_base[BONES * HAND_PLACE];
static double *positions, *weights, *data;

static void primal(const double *x, double *y) {
    hand_objective(BONES, parents, relative, inverse_base, positions, starts, weight_bones, weights, 0, POINTS, vertex_of,
                   data, x, y);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    hand_objective_d(BONES, parents, relative, inverse_base, positions, starts, weight_bones, weights, 0, POINTS, vertex_of,
                     data, x, xd, y, yd);
}
static void adjoint(const double *x, double *xb, double *y, double *yb) {
    hand_objective_b(BONES, parents, relative, inverse_base, positions, starts, weight_bones, weights, 0, POINTS, vertex_of,
                     data, x, xb, y, yb);
}

/* A turn about z and a shift. */
static void place(double *p, double angle, double shift) {
    const double it[HAND_PLACE] = {cos(angle), sin(angle), 0.0, -sin(angle), cos(angle), 0.0,
                                   0.0,        0.0,        1.0, shift,       0.2 * shift, 0.1};
    memcpy(p, it, sizeof it);
}

int main(int count, char **arguments) {
    for (int b = 0; b < BONES; b++) {
        /* The wrist, and four bones in a row per finger; the last one belongs to nobody. */
        parents[b] = b == 0 ? -1 : (b - 1) % 4 == 0 ? 0 : b - 1;
        place(relative + b * HAND_PLACE, figure_uniform(-0.4, 0.4), 0.3);
        place(inverse_base + b * HAND_PLACE, figure_uniform(-0.4, 0.4), -0.3);
    }
    positions = figure_numbers(3 * VERTICES, -1.0, 1.0);
    weights = figure_numbers(VERTICES * PER_VERTEX, 0.1, 0.4);
    data = figure_numbers(3 * POINTS, -1.0, 1.0);
    for (int v = 0; v <= VERTICES; v++) starts[v] = v * PER_VERTEX;
    for (int e = 0; e < VERTICES * PER_VERTEX; e++) weight_bones[e] = (int)figure_uniform(0.0, BONES);
    for (int i = 0; i < POINTS; i++) vertex_of[i] = (int)figure_uniform(0.0, VERTICES);
    figure f = {HAND_THETA, 3 * POINTS, figure_numbers(HAND_THETA, -0.5, 0.5), primal, tangent, adjoint};
    return figure_run(&f, count, arguments);
}
