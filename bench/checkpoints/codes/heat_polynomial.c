/* Nonlinear heat conduction in the plane, u_t = div(k(u) grad u) with k(u) = a (1 + b u^2), explicit, five points: fluxes through the four
 * faces of a cell, with the mean of both sides' conductivity; what flows out on one side flows in on the other. Cells at the border keep
 * their temperature. Two arrays change places after each step. The objective is a weighted sum of the squares of the end. */
#include "checkpoints.h"

enum { FIELDS = 2 };

#define HEAT(name, mark)                                                                                        \
    static double name(long n, long steps, int snapshots, const double *p, double *restrict u, double *restrict next) { \
        for (long t = 0; t < steps; t++) {                                                                      \
            mark(snapshots);                                                                                    \
            double a = 0.5 * p[0], b = p[1];                                                                    \
            for (long i = 1; i < n - 1; i++)                                                                    \
                for (long j = 1; j < n - 1; j++) {                                                              \
                    const double *c = u + i * n + j;                                                            \
                    double here = 2.0 + b * c[0] * c[0];                                                        \
                    double west = (here + b * c[-1] * c[-1]) * (c[-1] - c[0]);                                  \
                    double east = (here + b * c[1] * c[1]) * (c[1] - c[0]);                                     \
                    double north = (here + b * c[-n] * c[-n]) * (c[-n] - c[0]);                                 \
                    double south = (here + b * c[n] * c[n]) * (c[n] - c[0]);                                    \
                    next[i * n + j] = c[0] + a * (west + east + north + south);                                 \
                }                                                                                               \
            double *old = u;                                                                                    \
            u = next;                                                                                           \
            next = old;                                                                                         \
        }                                                                                                       \
        double sum = 0.0;                                                                                       \
        for (long i = 0; i < n * n; i++) sum += u[i] * u[i] * (double)(1 + i % 3);                              \
        return sum / (double)(n * n);                                                                           \
    }
HEAT(checkpointed, ad_checkpoint_loop)
HEAT(plain, without_checkpoints)

static double primal(const run *r) {
    return plain(r->n, r->steps, r->snapshots, r->p, r->field[0], r->field[1]);
}
static double tangent(const run *r) {
    return __ad_tangent((void *)plain, ad_const, r->n, ad_const, r->steps, ad_const, r->snapshots, ad_dup, r->p, r->shadow_p,
                        ad_dup, r->field[0], r->shadow[0], ad_dup, r->field[1], r->shadow[1]);
}
static void gradient(const run *r) {
    __ad_adjoint((void *)checkpointed, ad_const, r->n, ad_const, r->steps, ad_const, r->snapshots, ad_dup, r->p, r->shadow_p,
                 ad_dup, r->field[0], r->shadow[0], ad_dup, r->field[1], r->shadow[1]);
}
static void store_all(const run *r) {
    __ad_adjoint((void *)plain, ad_const, r->n, ad_const, r->steps, ad_const, r->snapshots, ad_dup, r->p, r->shadow_p,
                 ad_dup, r->field[0], r->shadow[0], ad_dup, r->field[1], r->shadow[1]);
}

int main(int count, char **arguments) {
    return run_code(count, arguments, FIELDS, (const double[]){0.05, 0.8}, (code){primal, tangent, gradient, store_all});
}
