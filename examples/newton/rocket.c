/* Goddard's rocket: how it must burn its fuel to climb as high as possible. Ipopt finds the flight with exact first and second
 * derivatives. Units are those in which height, mass and gravity are 1 at the start. */
#include <IpStdCInterface.h>
#include <ad.h>
#include <ad_sparse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, NODES = STEPS + 1, EQUATIONS = 3 * STEPS };
struct flight { double height[NODES], velocity[NODES], mass[NODES], thrust[NODES], duration; };
enum { UNKNOWNS = sizeof(struct flight) / sizeof(double) };

static double drag(double height, double velocity) { return 310.0 * velocity * velocity * exp(-500.0 * (height - 1.0)); }
static double acceleration(const struct flight *x, int i) {
    return (x->thrust[i] - drag(x->height[i], x->velocity[i])) / x->mass[i] - 1.0 / (x->height[i] * x->height[i]);
}

/* The trapezoidal rule: c is zero if the flight obeys the equations of motion. */
static void motion(const struct flight *x, double *c) {
    double half = 0.5 * x->duration / STEPS;
    for (int i = 0; i < STEPS; i++) {
        c[3 * i] = x->height[i + 1] - x->height[i] - half * (x->velocity[i] + x->velocity[i + 1]);
        c[3 * i + 1] = x->velocity[i + 1] - x->velocity[i] - half * (acceleration(x, i) + acceleration(x, i + 1));
        c[3 * i + 2] = x->mass[i + 1] - x->mass[i] + half * (x->thrust[i] + x->thrust[i + 1]) / 0.5;
    }
}
static double objective(const struct flight *x) { return -x->height[STEPS]; }
static double lagrangian(const struct flight *x, double factor, const double *lambda) {
    double c[EQUATIONS], sum = factor * objective(x);
    motion(x, c);
    for (int i = 0; i < EQUATIONS; i++) sum += lambda[i] * c[i];
    return sum;
}

/* ---- derivatives ---- */

extern double __ad_pattern_double(void *f, ...);
extern void __ad_pattern_void(void *f, ...);
extern void __ad_tangent_void(void *f, ...);
extern void __ad_adjoint_void(void *f, ...);

/* The gradient of the Lagrangian; its tangent is the product of the Hessian with a vector. */
static void gradient(const struct flight *x, struct flight *g, double factor, const double *lambda) {
    memset(g, 0, sizeof *g);
    __ad_adjoint_void((void *)lagrangian, x, g, ad_const, factor, ad_const, lambda);
}

struct derivatives { ad_sparse *jacobian, *hessian; int iterations; };

static void patterns(struct derivatives *d, const struct flight *x) {
    struct flight xs = {0};
    double c[EQUATIONS], cs[EQUATIONS] = {0}, lambda[EQUATIONS];
    d->jacobian = ad_sparse_jacobian(EQUATIONS, UNKNOWNS);
    ad_sparse_inputs(d->jacobian, (double *)&xs, 0, UNKNOWNS);
    __ad_pattern_void((void *)motion, x, &xs, c, cs);
    ad_sparse_outputs(d->jacobian, cs, 0, EQUATIONS);
    ad_sparse_colour(d->jacobian, AD_BY_COLUMNS);

    for (int i = 0; i < EQUATIONS; i++) lambda[i] = 1.0;
    d->hessian = ad_sparse_hessian(UNKNOWNS);
    ad_sparse_inputs(d->hessian, (double *)&xs, 0, UNKNOWNS);
    double set = __ad_pattern_double((void *)lagrangian, x, &xs, ad_const, 1.0, ad_const, lambda);
    ad_sparse_outputs(d->hessian, &set, 0, 1);
    ad_sparse_colour(d->hessian, AD_BY_COLUMNS);
}
/* Both return 0 if the pattern does not hold. */
static int compute_jacobian(ad_sparse *j, const struct flight *x) {
    double c[EQUATIONS], cd[EQUATIONS];
    struct flight xd;
    for (long d = 0; d < ad_sparse_directions(j); d++) {
        ad_sparse_direction(j, d, (double *)&xd, 0, UNKNOWNS);
        __ad_tangent_void((void *)motion, x, &xd, c, cd);
        ad_sparse_values(j, d, cd, 0, EQUATIONS);
    }
    return ad_sparse_check(j, 1e-9) < 0;
}
static int compute_hessian(ad_sparse *h, const struct flight *x, double factor, const double *lambda) {
    struct flight xd, g, hv;
    for (long d = 0; d < ad_sparse_directions(h); d++) {
        ad_sparse_direction(h, d, (double *)&xd, 0, UNKNOWNS);
        __ad_tangent_void((void *)gradient, x, &xd, &g, &hv, ad_const, factor, ad_const, lambda);
        ad_sparse_values(h, d, (double *)&hv, 0, UNKNOWNS);
    }
    return ad_sparse_check(h, 1e-9) < 0;
}

/* ---- what Ipopt calls ---- */

static Bool eval_f(Index n, Number *x, Bool is_new, Number *value, UserDataPtr data) {
    *value = objective((const struct flight *)x);
    return TRUE;
}
static Bool eval_grad_f(Index n, Number *x, Bool is_new, Number *g, UserDataPtr data) {
    memset(g, 0, n * sizeof *g);
    __ad_adjoint_void((void *)objective, x, g);
    return TRUE;
}
static Bool eval_g(Index n, Number *x, Bool is_new, Index m, Number *c, UserDataPtr data) {
    motion((const struct flight *)x, c);
    return TRUE;
}
static Bool eval_jac_g(Index n, Number *x, Bool is_new, Index m, Index count, Index *row, Index *column, Number *values, UserDataPtr data) {
    ad_sparse *j = ((struct derivatives *)data)->jacobian;
    if (values) {
        if (!compute_jacobian(j, (const struct flight *)x)) return FALSE;
        memcpy(values, ad_sparse_entries(j), count * sizeof *values);
        return TRUE;
    }
    const long *start = ad_sparse_starts(j), *index = ad_sparse_indices(j);
    for (int i = 0; i < m; i++)
        for (long k = start[i]; k < start[i + 1]; k++) row[k] = i, column[k] = index[k];
    return TRUE;
}
static Bool eval_h(Index n, Number *x, Bool is_new, Number factor, Index m, Number *lambda, Bool is_new_lambda, Index count, Index *row,
                   Index *column, Number *values, UserDataPtr data) {
    ad_sparse *h = ((struct derivatives *)data)->hessian;
    if (values && !compute_hessian(h, (const struct flight *)x, factor, lambda)) return FALSE;
    ad_sparse_lower(h, row, column, values, 0);
    return TRUE;
}
static Bool count_iterations(Index mode, Index iteration, Number value, Number primal, Number dual, Number mu, Number step, Number regularization,
                             Number alpha_dual, Number alpha_primal, Index trials, UserDataPtr data) {
    ((struct derivatives *)data)->iterations = iteration;
    return TRUE;
}

/* ---- checks ---- */

static int failures;
static void expect(const char *what, double value, double bound) {
    /* A comparison with NaN is false: NaN fails. */
    int holds = value <= bound;
    printf("%-58s %9.2e, at most %.0e%s\n", what, value, bound, holds ? "" : ": WRONG");
    failures += !holds;
}

/* Row i of a sparse matrix, with its zeros. */
static void unpack(const ad_sparse *a, int i, double *row) {
    memset(row, 0, UNKNOWNS * sizeof *row);
    for (long k = ad_sparse_starts(a)[i]; k < ad_sparse_starts(a)[i + 1]; k++) row[ad_sparse_indices(a)[k]] = ad_sparse_entries(a)[k];
}
static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }

/* All entries of both matrices, the zeros too, against differences of the equations and of the gradient. */
static void compare_with_differences(struct derivatives *d, const struct flight *x) {
    static double jacobian[EQUATIONS][UNKNOWNS], hessian[UNKNOWNS][UNKNOWNS];
    double lambda[EQUATIONS], worst_jacobian = 0.0, worst_hessian = 0.0;
    for (int i = 0; i < EQUATIONS; i++) lambda[i] = sin(1.0 + i);
    if (!compute_jacobian(d->jacobian, x) || !compute_hessian(d->hessian, x, 0.7, lambda)) failures++;
    for (int i = 0; i < EQUATIONS; i++) unpack(d->jacobian, i, jacobian[i]);
    for (int i = 0; i < UNKNOWNS; i++) unpack(d->hessian, i, hessian[i]);
    const double h = 2e-7;
    for (int j = 0; j < UNKNOWNS; j++) {
        struct flight moved = *x, high, low;
        double above[EQUATIONS], below[EQUATIONS], *place = (double *)&moved + j, old = *place;
        *place = old + h, motion(&moved, above), gradient(&moved, &high, 0.7, lambda);
        *place = old - h, motion(&moved, below), gradient(&moved, &low, 0.7, lambda);
        for (int i = 0; i < EQUATIONS; i++) {
            double difference = (above[i] - below[i]) / (2.0 * h);
            worst_jacobian = larger(fabs(jacobian[i][j] - difference) / (1.0 + fabs(difference)), worst_jacobian);
        }
        for (int i = 0; i < UNKNOWNS; i++) {
            double difference = (((double *)&high)[i] - ((double *)&low)[i]) / (2.0 * h);
            worst_hessian = larger(fabs(hessian[i][j] - difference) / (1.0 + fabs(difference)), worst_hessian);
        }
    }
    expect("entries of the Jacobian against differences", worst_jacobian, 1e-8);
    expect("entries of the Hessian against differences", worst_hessian, 1e-7);
}

/* The conditions of Karush, Kuhn and Tucker, without Ipopt. */
static void check_optimality(const struct flight *x, const double *lambda, const struct flight *low, const struct flight *high, const double *at_low,
                             const double *at_high) {
    struct flight g;
    double c[EQUATIONS], stationarity = 0.0, complementarity = 0.0, feasibility = 0.0;
    const double *v = (const double *)x, *l = (const double *)low, *h = (const double *)high, *gradient_at = (const double *)&g;
    gradient(x, &g, 1.0, lambda);
    motion(x, c);
    for (int i = 0; i < EQUATIONS; i++) feasibility = larger(fabs(c[i]), feasibility);
    for (int i = 0; i < UNKNOWNS; i++) {
        if (l[i] == h[i]) continue; /* not free */
        stationarity = larger(fabs(gradient_at[i] - at_low[i] + at_high[i]), stationarity);
        if (l[i] > -1e19) complementarity = larger(fabs(at_low[i] * (v[i] - l[i])), complementarity);
        if (h[i] < 1e19) complementarity = larger(fabs(at_high[i] * (h[i] - v[i])), complementarity);
        feasibility = larger(fmax(l[i] - v[i], v[i] - h[i]), feasibility);
    }
    expect("gradient of the Lagrangian", stationarity, 1e-8);
    expect("multipliers times distances from bounds", complementarity, 1e-8);
    expect("equations of motion and bounds", feasibility, 1e-8);
}

int main(void) {
    static struct flight x, low, high;
    static double lambda[EQUATIONS], zero[EQUATIONS], at_low[UNKNOWNS], at_high[UNKNOWNS];
    for (int i = 0; i < NODES; i++) {
        double t = (double)i / STEPS;
        x.height[i] = 1.0, x.velocity[i] = t * (1.0 - t), x.mass[i] = 1.0 - 0.4 * t, x.thrust[i] = 1.75;
        low.height[i] = 1.0, low.velocity[i] = 0.0, low.mass[i] = 0.6, low.thrust[i] = 0.0;
        high.height[i] = 2e19, high.velocity[i] = 2e19, high.mass[i] = 1.0, high.thrust[i] = 3.5;
    }
    x.duration = 1.0, low.duration = 0.0, high.duration = 2e19;
    high.height[0] = 1.0, high.velocity[0] = 0.0, low.mass[0] = 1.0, high.mass[STEPS] = 0.6; /* start, and all fuel burnt */

    struct derivatives d = {0};
    patterns(&d, &x);
    compare_with_differences(&d, &x);

    IpoptProblem problem = CreateIpoptProblem(UNKNOWNS, (Number *)&low, (Number *)&high, EQUATIONS, zero, zero, (Index)ad_sparse_nonzeros(d.jacobian),
                                              (Index)ad_sparse_lower_nonzeros(d.hessian), 0, eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
    AddIpoptIntOption(problem, "print_level", 0);
    AddIpoptStrOption(problem, "sb", "yes");
    AddIpoptNumOption(problem, "tol", 1e-9);
    SetIntermediateCallback(problem, count_iterations);
    double value;
    enum ApplicationReturnStatus status = IpoptSolve(problem, (Number *)&x, NULL, &value, lambda, at_low, at_high, &d);
    printf("%d unknowns; %ld entries and %ld colours of the Jacobian, %ld and %ld of the Hessian; %d iterations\n", UNKNOWNS,
           ad_sparse_nonzeros(d.jacobian), ad_sparse_colours(d.jacobian), ad_sparse_lower_nonzeros(d.hessian), ad_sparse_colours(d.hessian), d.iterations);
    printf("height %.6f after %.5f\n", -value, x.duration);

    expect("Ipopt's status", abs((int)status), 0);
    expect("iterations", d.iterations, 60);
    check_optimality(&x, lambda, &low, &high, at_low, at_high);
    expect("height beside 1.01283, of the COPS collection", fabs(-value - 1.01283), 1e-5);

    FreeIpoptProblem(problem);
    ad_sparse_free(d.jacobian);
    ad_sparse_free(d.hessian);
    puts(failures ? "WRONG" : "right");
    return failures != 0;
}
