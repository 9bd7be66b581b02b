/* A struct of doubles, floats and ints behind a pointer; its shadow is another such struct. Only the floating-point
 * members of the shadow change. */
#include "requests.h"

struct state {
    double mass;
    int steps;
    double velocity[2];
    char tag;
    float drag;
    long power;
};

static double energy(const struct state *s) {
    double sum = 0.0;
    for (int i = 0; i < s->steps; i++) sum += 0.5 * s->mass * s->velocity[i % 2] * s->velocity[i % 2];
    for (long p = 0; p < s->power; p++) sum *= 1.0 + (double)s->drag;
    return sum;
}

static void energy_map(const double *x, double *y) {
    struct state s = {x[0], 3, {x[1], x[2]}, 'a', (float)x[3], 2};
    y[0] = energy(&s);
}

int main(void) {
    for (int round = 0; round < 4; round++) {
        double x[4], xd[4];
        check_fill(x, 4, 0.5, 1.5), check_fill(xd, 4, 0.5, 1.5);
        struct state s = {x[0], 3, {x[1], x[2]}, 'a', (float)x[3], 2};
        struct state sd = {xd[0], 0, {xd[1], xd[2]}, 0, (float)xd[3], 0};
        struct state sb = {0.0, 17, {0.0, 0.0}, 'z', 0.0f, 19};
        __ad_adjoint_void((void *)energy, &s, &sb);
        double u = 1.0 + (double)s.drag, kinetic = 2.0 * x[1] * x[1] + x[2] * x[2];
        check_close("mass", sb.mass, 0.5 * kinetic * u * u, 1e-14);
        check_close("velocity[0]", sb.velocity[0], 2.0 * x[0] * x[1] * u * u, 1e-14);
        check_close("velocity[1]", sb.velocity[1], x[0] * x[2] * u * u, 1e-14);
        check_close("drag", sb.drag, x[0] * kinetic * u, 1e-6);
        check_true("integers of the shadow stay", sb.steps == 17 && sb.tag == 'z' && sb.power == 19);
        double exact_drag = x[0] * kinetic * u, tangent = __ad_tangent_double((void *)energy, &s, &sd);
        double want = sb.mass * sd.mass + sb.velocity[0] * sd.velocity[0] + sb.velocity[1] * sd.velocity[1] + exact_drag * sd.drag;
        check_close("dot product", tangent, want, 1e-12);
        double xd3[4] = {1.0, 0.0, 0.0, 0.0}, difference;
        check_directional(energy_map, 4, 1, x, xd3, 0.02, &difference);
        check_close("mass against differences", sb.mass, difference, 1e-9);
    }
    return check_done();
}
