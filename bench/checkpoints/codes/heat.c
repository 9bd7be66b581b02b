/* Nonlinear heat conduction in the plane, u_t = div(k(u) grad u) with k(u) = a exp(b u), explicit, five points. The conductivities of all
 * cells go to an array first, anew in each step; a face has the mean of both sides. Cells at the border keep their temperature. Two
 * arrays change places after each step. The objective is a weighted sum of the squares of the end. */
#include "checkpoints.h"

enum { FIELDS = 3 };

#define HEAT(name, mark)                                                                                                   \
    static double name(long n, long steps, int snapshots, const double *p, double *restrict u, double *restrict next, \
                       double *restrict k) {                                                                          \
        for (long t = 0; t < steps; t++) {                                                                            \
            mark(snapshots);                                                                                          \
            for (long i = 0; i < n * n; i++) k[i] = 0.5 * p[0] * exp(p[1] * u[i]);                                    \
            for (long i = 1; i < n - 1; i++)                                                                          \
                for (long j = 1; j < n - 1; j++) {                                                                    \
                    long c = i * n + j;                                                                               \
                    next[c] = u[c] + (k[c - 1] + k[c]) * (u[c - 1] - u[c]) + (k[c + 1] + k[c]) * (u[c + 1] - u[c])    \
                            + (k[c - n] + k[c]) * (u[c - n] - u[c]) + (k[c + n] + k[c]) * (u[c + n] - u[c]);          \
                }                                                                                                     \
            double *old = u;                                                                                          \
            u = next;                                                                                                 \
            next = old;                                                                                               \
        }                                                                                                             \
        double sum = 0.0;                                                                                             \
        for (long i = 0; i < n * n; i++) sum += u[i] * u[i] * (double)(1 + i % 3);                                    \
        return sum / (double)(n * n);                                                                                 \
    }
HEAT(checkpointed, ad_checkpoint_loop)
HEAT(plain, without_checkpoints)

static double primal(const run *r) {
    return plain(r->n, r->steps, r->snapshots, r->p, r->field[0], r->field[1], r->field[2]);
}
static double tangent(const run *r) {
    return __ad_tangent((void *)plain, ad_const, r->n, ad_const, r->steps, ad_const, r->snapshots, ad_dup, r->p, r->shadow_p,
                        ad_dup, r->field[0], r->shadow[0], ad_dup, r->field[1], r->shadow[1],
                 ad_dup, r->field[2], r->shadow[2]);
}
static void gradient(const run *r) {
    __ad_adjoint((void *)checkpointed, ad_const, r->n, ad_const, r->steps, ad_const, r->snapshots, ad_dup, r->p, r->shadow_p,
                 ad_dup, r->field[0], r->shadow[0], ad_dup, r->field[1], r->shadow[1],
                 ad_dup, r->field[2], r->shadow[2]);
}
static void store_all(const run *r) {
    __ad_adjoint((void *)plain, ad_const, r->n, ad_const, r->steps, ad_const, r->snapshots, ad_dup, r->p, r->shadow_p,
                 ad_dup, r->field[0], r->shadow[0], ad_dup, r->field[1], r->shadow[1],
                 ad_dup, r->field[2], r->shadow[2]);
}

int main(int count, char **arguments) {
    return run_code(count, arguments, FIELDS, (const double[]){0.05, 0.8}, (code){primal, tangent, gradient, store_all});
}
