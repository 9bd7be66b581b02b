/* A solver as libraries have them: an opaque object that keeps the array it works on, a callback, and a pointer of the user's. */
#include <stdlib.h>
#include <string.h>

typedef double function(double, void *);
typedef struct { void *data; double *state; function *f; int n; } solver;

solver *solver_new(int n, function *f) {
    solver *s = malloc(sizeof *s);
    s->n = n, s->f = f, s->data = NULL, s->state = calloc((size_t)n, sizeof *s->state);
    return s;
}
double *solver_state(solver *s) { return s->state; }
void solver_set_data(solver *s, void *data) { s->data = data; }
void solver_step(solver *s) {
    for (int i = 0; i < s->n; i++) s->state[i] += 0.1 * s->f(s->state[i], s->data);
}
void solver_step_into(const solver *s, double *to) {
    for (int i = 0; i < s->n; i++) to[i] = s->state[i] + 0.1 * s->f(s->state[i], s->data);
}
void solver_delete(solver *s) { free(s->state), free(s); }
