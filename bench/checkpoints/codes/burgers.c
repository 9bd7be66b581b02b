/* Burgers' equations of two velocities in the plane, explicit: upwind differences for what the flow carries, central ones for viscosity.
 * Cells at the border keep their velocity. Each velocity has two arrays, which change places after each step. The objective is a weighted sum
 * of the squares of the end. Which cells a step reads depends on the flow, so the program says how large the arrays are. */
#include "checkpoints.h"

enum { FIELDS = 4 };

/* What flows past `c`, backward or forward, and what viscosity spreads. */
static inline double moved(const double *c, long n, double x, double y, double nu) {
    double along = x > 0.0 ? c[0] - c[-1] : c[1] - c[0], across = y > 0.0 ? c[0] - c[-n] : c[n] - c[0];
    return c[0] - x * along - y * across + nu * (c[-1] + c[1] + c[-n] + c[n] - 4.0 * c[0]);
}

#define BURGERS(name, mark, size)                                                                                    \
    static double name(long n, long steps, int snapshots, const double *p, double *restrict u, double *restrict v,       \
                       double *restrict next_u, double *restrict next_v) {                                      \
        unsigned long bytes = (unsigned long)(n * n) * sizeof *u;                                               \
        size(u, bytes), size(next_u, bytes), size(v, bytes), size(next_v, bytes);                               \
        for (long t = 0; t < steps; t++) {                                                                      \
            mark(snapshots);                                                                                    \
            double courant = p[0], nu = p[1];                                                                   \
            for (long i = 1; i < n - 1; i++)                                                                    \
                for (long j = 1; j < n - 1; j++) {                                                              \
                    long at = i * n + j;                                                                        \
                    double x = courant * u[at], y = courant * v[at];                                            \
                    next_u[at] = moved(u + at, n, x, y, nu);                                                    \
                    next_v[at] = moved(v + at, n, x, y, nu);                                                    \
                }                                                                                               \
            double *old_u = u, *old_v = v;                                                                      \
            u = next_u, v = next_v;                                                                             \
            next_u = old_u, next_v = old_v;                                                                     \
        }                                                                                                       \
        double sum = 0.0;                                                                                       \
        for (long i = 0; i < n * n; i++) sum += u[i] * u[i] * (double)(1 + i % 3) + v[i] * v[i];                \
        return sum / (double)(n * n);                                                                           \
    }
BURGERS(checkpointed, ad_checkpoint_loop, ad_checkpoint_state)
BURGERS(plain, without_checkpoints, without_size)

static double primal(const run *r) {
    return plain(r->n, r->steps, r->snapshots, r->p, r->field[0], r->field[1], r->field[2], r->field[3]);
}
static double tangent(const run *r) {
    return __ad_tangent((void *)plain, ad_const, r->n, ad_const, r->steps, ad_const, r->snapshots, ad_dup, r->p, r->shadow_p,
                        ad_dup, r->field[0], r->shadow[0], ad_dup, r->field[1], r->shadow[1],
                        ad_dup, r->field[2], r->shadow[2], ad_dup, r->field[3], r->shadow[3]);
}
static void gradient(const run *r) {
    __ad_adjoint((void *)checkpointed, ad_const, r->n, ad_const, r->steps, ad_const, r->snapshots, ad_dup, r->p, r->shadow_p,
                 ad_dup, r->field[0], r->shadow[0], ad_dup, r->field[1], r->shadow[1],
                 ad_dup, r->field[2], r->shadow[2], ad_dup, r->field[3], r->shadow[3]);
}
static void store_all(const run *r) {
    __ad_adjoint((void *)plain, ad_const, r->n, ad_const, r->steps, ad_const, r->snapshots, ad_dup, r->p, r->shadow_p,
                 ad_dup, r->field[0], r->shadow[0], ad_dup, r->field[1], r->shadow[1],
                 ad_dup, r->field[2], r->shadow[2], ad_dup, r->field[3], r->shadow[3]);
}

int main(int count, char **arguments) {
    return run_code(count, arguments, FIELDS, (const double[]){0.1, 0.1}, (code){primal, tangent, gradient, store_all});
}
