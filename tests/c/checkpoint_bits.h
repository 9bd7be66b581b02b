/* Gradients with checkpoints and without, which must be the same to the last bit: with one snapshot, three, more than steps. */
#include "requests.h"

enum { N = 37, STEPS = 23 };

#define NAME(f) f##_marked
#define MARK(snapshots) ad_checkpoint_loop(snapshots)
#define SIZE ad_checkpoint_state
#define BEGIN ad_checkpoint_begin
#define END ad_checkpoint_end
#include "checkpoint_bits_codes.h"
#undef NAME
#undef MARK
#undef SIZE
#undef BEGIN
#undef END

#define NAME(f) f##_plain
#define MARK(snapshots) (void)(snapshots)
#define SIZE(memory, bytes) (void)(memory)
#define BEGIN() (void)0
#define END() (void)0
#include "checkpoint_bits_codes.h"

#define CODES(X)                                                                                                          \
    X(heat) X(pendulums) X(mean) X(lorenz) X(ring) X(stages) X(upwind) X(settles) X(power) X(members) X(misfit) X(floats) \
    X(solver) SUMS(X)

typedef struct gradient { double p[2], u[N], v[N]; } gradient;
typedef void differentiated(int snapshots, const double *p, double *u, double *v, gradient *g);

#define GRADIENT(f)                                                                                                           \
    static void f##_gradient(int snapshots, const double *p, double *u, double *v, gradient *g) {                             \
        __ad_adjoint((void *)f, ad_const, N, ad_const, STEPS, ad_const, snapshots, ad_dup, p, g->p, ad_dup, u, g->u, ad_dup, v, g->v); \
    }
#define BOTH(f) GRADIENT(f##_marked) GRADIENT(f##_plain)
CODES(BOTH)

/* On top of adjoints that are there already. */
static gradient at(differentiated *f, int snapshots, double start) {
    double p[2] = {0.11, 0.7}, u[N], v[N];
    gradient g = {{start, -start}, {0.0}, {0.0}};
    for (int i = 0; i < N; i++) u[i] = v[i] = 0.3 + 0.2 * sin(1.1 * i), g.u[i] = g.v[i] = start * (i % 3);
    f(snapshots, p, u, v, &g);
    return g;
}

static void compare(const char *name, differentiated *marked, differentiated *plain) {
    char what[100];
    for (int k = 0; k < 2; k++) {
        double start = 0.37 * k;
        gradient expected = at(plain, 0, start);
        snprintf(what, sizeof what, "%s: depends on parameters and the start", name);
        check_true(what, expected.p[0] != start && expected.u[1] != start);
        for (int i = 0; i < 3; i++) {
            int snapshots = (int[]){1, 3, 50}[i], differ = 0;
            gradient g = at(marked, snapshots, start);
            const double *a = (const double *)&g, *b = (const double *)&expected;
            for (size_t j = 0; j < sizeof g / sizeof *a; j++) differ += memcmp(a + j, b + j, sizeof *a) != 0;
            snprintf(what, sizeof what, "%s: %d of all adjoints differ with %d snapshots, from %g", name, differ, snapshots, start);
            check_true(what, differ == 0);
        }
    }
}

int main(void) {
#define COMPARE(f) compare(#f, f##_marked_gradient, f##_plain_gradient);
    CODES(COMPARE)
    return check_done();
}
