/* Hand tracking: the transposed Jacobian with respect to theta times a vector. Instance: three files of load_hand.h, or vertices,
 * points (22 bones, four per vertex). */
#include "bench.h"

#include "hand.h"
#include "hand_by_hand.h"
#include "load_hand.h"

void hand_objective_b(int bones, const int *parents, const double *relative, const double *inverse_base,
                      const double *positions, const int *starts, const int *weight_bones, const double *weights,
                      int is_mirrored, int points, const int *vertex_of, const double *data, const double *theta,
                      double *thetab, double *residual, double *residualb);
void hand_objective_d(int bones, const int *parents, const double *relative, const double *inverse_base,
                      const double *positions, const int *starts, const int *weight_bones, const double *weights,
                      int is_mirrored, int points, const int *vertex_of, const double *data, const double *theta,
                      const double *thetad, double *residual, double *residuald);

enum { BONES = 22, PER_VERTEX = 4 };

static hand_instance it;

static void primal(const double *x, double *y) {
    hand_objective(it.bones, it.parents, it.relative, it.inverse_base, it.positions, it.starts, it.weight_bones, it.weights,
                   it.is_mirrored, it.points, it.vertex_of, it.data, x, y);
}
static void tangent(const double *x, const double *xd, double *y, double *yd) {
    hand_objective_d(it.bones, it.parents, it.relative, it.inverse_base, it.positions, it.starts, it.weight_bones, it.weights,
                     it.is_mirrored, it.points, it.vertex_of, it.data, x, xd, y, yd);
}
static void gradient(const double *x, double *xb, double *y, double *yb) {
    hand_objective_b(it.bones, it.parents, it.relative, it.inverse_base, it.positions, it.starts, it.weight_bones, it.weights,
                     it.is_mirrored, it.points, it.vertex_of, it.data, x, xb, y, yb);
}
static void by_hand(const double *x, double *xb, double *y, double *yb) {
    hand_by_hand(it.bones, it.parents, it.relative, it.inverse_base, it.positions, it.starts, it.weight_bones, it.weights,
                 it.is_mirrored, it.points, it.vertex_of, it.data, x, xb, y, yb);
}

/* A turn about z and a shift. */
static void place(double *p, double angle, double shift) {
    const double made[HAND_PLACE] = {cos(angle), sin(angle), 0.0, -sin(angle), cos(angle), 0.0, 0.0, 0.0, 1.0, shift, 0.2 * shift, 0.1};
    memcpy(p, made, sizeof made);
}

static hand_instance generate(int count, char **arguments) {
    hand_instance made = {.bones = BONES, .vertices = (int)bench_size(count, arguments, 0), .points = (int)bench_size(count, arguments, 1)};
    int entries = made.vertices * PER_VERTEX;
    made.parents = bench_alloc(BONES, sizeof(int)), made.starts = bench_alloc(made.vertices + 1, sizeof(int));
    made.weight_bones = bench_alloc(entries, sizeof(int)), made.vertex_of = bench_alloc(made.points, sizeof(int));
    made.relative = bench_alloc(BONES * HAND_PLACE, sizeof(double)), made.inverse_base = bench_alloc(BONES * HAND_PLACE, sizeof(double));
    for (int b = 0; b < BONES; b++) {
        /* The wrist, and four bones in a row per finger; the last one belongs to nobody. */
        made.parents[b] = b == 0 ? -1 : (b - 1) % 4 == 0 ? 0 : b - 1;
        place(made.relative + b * HAND_PLACE, bench_uniform(-0.4, 0.4), 0.3);
        place(made.inverse_base + b * HAND_PLACE, bench_uniform(-0.4, 0.4), -0.3);
    }
    made.positions = bench_numbers(3L * made.vertices, -1.0, 1.0);
    made.weights = bench_numbers(entries, 0.1, 0.4);
    made.data = bench_numbers(3L * made.points, -1.0, 1.0);
    made.theta = bench_numbers(HAND_THETA, -0.5, 0.5);
    for (int v = 0; v <= made.vertices; v++) made.starts[v] = v * PER_VERTEX;
    for (int e = 0; e < entries; e++) made.weight_bones[e] = (int)bench_uniform(0.0, BONES);
    for (int i = 0; i < made.points; i++) made.vertex_of[i] = (int)bench_uniform(0.0, made.vertices);
    return made;
}

int main(int count, char **arguments) {
    const char *file = bench_file(count, arguments);
    it = file && count > 6 ? hand_load(file, arguments[5], arguments[6]) : generate(count, arguments);
    bench b = {.sizes = {it.bones, it.vertices, it.points}, .inputs = HAND_THETA, .outputs = 3L * it.points, .x = it.theta};
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
