// ad-library: user_data.c
// ad-link: -lm
/* Opaque solvers: the program's data are given once and used by callbacks in later calls, whatever else those calls are given. */
#include "requests.h"

typedef struct solver solver;
solver *solver_new(int n, double (*f)(double, void *));
double *solver_state(solver *s);
void solver_set_data(solver *s, void *data);
void solver_step(solver *s);
void solver_step_into(const solver *s, double *to);
void solver_delete(solver *s);

typedef struct { double rate, limit; } law;
static double growth(double y, void *data) {
    const law *l = data;
    return l->rate * y * (l->limit - y);
}

/* The state is the program's in the end only. */
static double into(const double *x) {
    law l = {x[0], x[1]};
    solver *s = solver_new(2, growth);
    double out[2];
    solver_set_data(s, &l);
    for (int k = 0; k < 3; k++) solver_step(s), solver_step_into(s, out);
    solver_step_into(s, out);
    solver_delete(s);
    return out[0] + out[1] * x[2] + l.rate;
}
AD_FUNCTIONAL(into)

/* The data change between the steps. */
static void changing(const double *x, double *y) {
    law *l = malloc(sizeof *l);
    l->rate = x[0], l->limit = x[1];
    solver *s = solver_new(2, growth);
    solver_set_data(s, l);
    solver_step_into(s, y);
    l->limit = x[1] * x[2];
    solver_step(s);
    l->rate = x[2];
    solver_step_into(s, y);
    y[0] += x[0];
    solver_delete(s), free(l);
}
AD_MAP(changing)

/* The program fills the solver's own array: in tangents. */
static double filled(const double *x) {
    law l = {x[0], x[1]};
    solver *s = solver_new(2, growth);
    double *state = solver_state(s);
    state[0] = x[2], state[1] = 0.5;
    solver_set_data(s, &l);
    solver_step(s), solver_step(s);
    double sum = state[0] * state[1];
    solver_delete(s);
    return sum;
}
AD_FUNCTIONAL(filled)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(into, 3), CHECK_MAP(changing, 3, 2), CHECK_FUNCTIONAL(filled, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 1.2);
    return check_done();
}
