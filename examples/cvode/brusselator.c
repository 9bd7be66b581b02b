/* A chemical reaction with diffusion on a line (the Brusselator), integrated by CVODES of SUNDIALS. Products of the Jacobian with vectors are
 * tangents, the right-hand sides of forward sensitivities too; the adjoint problem has adjoints as its right-hand sides. */
#include <ad.h>
#include <cvodes/cvodes.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_spgmr.h>

enum { CELLS = 60, STATE = 2 * CELLS, PARAMETERS = 4 };
static const double END = 8.0;

/* The concentrations u and v of each cell one after the other. p is A, B, and the two constants of diffusion. */
static void reaction(const double *y, const double *p, double *ydot) {
    const double per_area = (CELLS + 1.0) * (CELLS + 1.0);
    for (int i = 0; i < CELLS; i++) {
        double u = y[2 * i], v = y[2 * i + 1];
        double left_u = i > 0 ? y[2 * i - 2] : p[0], left_v = i > 0 ? y[2 * i - 1] : p[1] / p[0];
        double right_u = i < CELLS - 1 ? y[2 * i + 2] : p[0], right_v = i < CELLS - 1 ? y[2 * i + 3] : p[1] / p[0];
        ydot[2 * i] = p[0] + u * u * v - (p[1] + 1.0) * u + p[2] * per_area * (left_u - 2.0 * u + right_u);
        ydot[2 * i + 1] = p[1] * u - u * u * v + p[3] * per_area * (left_v - 2.0 * v + right_v);
    }
}
/* The start: the stationary state, and a wave. */
static void start(const double *p, double *y) {
    for (int i = 0; i < CELLS; i++) {
        double x = (i + 1.0) / (CELLS + 1.0);
        y[2 * i] = p[0] + sin(2.0 * M_PI * x);
        y[2 * i + 1] = p[1] / p[0];
    }
}
/* What is asked of the end. */
static double goal(const double *y) {
    double sum = 0.0;
    for (int i = 0; i < CELLS; i++) sum += (y[2 * i] - 1.0) * (y[2 * i] - 1.0) * y[2 * i + 1];
    return sum / CELLS;
}

extern double __ad_tangent_double(void *f, ...);
extern void __ad_tangent_void(void *f, ...);
extern void __ad_adjoint_void(void *f, ...);

/* lambda times the derivatives of the right-hand side by state and parameters. Either may be left out. */
static void pull_back(const double *y, const double *p, const double *lambda, double *yb, double *pb) {
    double ydot[STATE], seed[STATE], state[STATE] = {0.0}, parameters[PARAMETERS] = {0.0};
    memcpy(seed, lambda, sizeof seed); /* the request consumes it */
    __ad_adjoint_void((void *)reaction, y, state, p, parameters, ydot, seed);
    if (yb) memcpy(yb, state, sizeof state);
    if (pb) memcpy(pb, parameters, sizeof parameters);
}

/* ---- what CVODES calls; the user's data are the parameters ---- */

#define DATA(vector) N_VGetArrayPointer(vector)

static int rhs(realtype t, N_Vector y, N_Vector ydot, void *p) {
    reaction(DATA(y), p, DATA(ydot));
    return 0;
}
static int jacobian_times(N_Vector v, N_Vector jv, realtype t, N_Vector y, N_Vector ydot, void *p, N_Vector scratch) {
    __ad_tangent_void((void *)reaction, DATA(y), DATA(v), ad_const, p, DATA(scratch), DATA(jv));
    return 0;
}
static int sensitivity_rhs(int count, realtype t, N_Vector y, N_Vector ydot, int i, N_Vector s, N_Vector sdot, void *p, N_Vector scratch, N_Vector other) {
    double direction[PARAMETERS] = {0.0};
    direction[i] = 1.0;
    __ad_tangent_void((void *)reaction, DATA(y), DATA(s), p, direction, DATA(scratch), DATA(sdot));
    return 0;
}
static int adjoint_rhs(realtype t, N_Vector y, N_Vector lambda, N_Vector lambda_dot, void *p) {
    pull_back(DATA(y), p, DATA(lambda), DATA(lambda_dot), NULL);
    N_VScale(-1.0, lambda_dot, lambda_dot);
    return 0;
}
/* The adjoint problem is linear: its Jacobian times v is its right-hand side for v. */
static int adjoint_jacobian_times(N_Vector v, N_Vector jv, realtype t, N_Vector y, N_Vector lambda, N_Vector lambda_dot, void *p, N_Vector scratch) {
    return adjoint_rhs(t, y, v, jv, p);
}
static int adjoint_quadrature(realtype t, N_Vector y, N_Vector lambda, N_Vector qdot, void *p) {
    pull_back(DATA(y), p, DATA(lambda), NULL, DATA(qdot));
    return 0;
}

/* ---- runs ---- */

static void need(int flag, const char *what) {
    if (flag >= 0) return;
    fprintf(stderr, "%s: %d\n", what, flag);
    exit(1);
}
#define NEED(call) need(call, #call)

struct run {
    SUNContext context;
    void *cvode;
    N_Vector y;
    SUNLinearSolver solver;
};

/* An integrator with Krylov's method and exact products, at the start. */
static struct run begin(double *p, double relative, double absolute) {
    struct run r;
    NEED(SUNContext_Create(NULL, &r.context));
    r.cvode = CVodeCreate(CV_BDF, r.context);
    r.y = N_VNew_Serial(STATE, r.context);
    start(p, DATA(r.y));
    NEED(CVodeInit(r.cvode, rhs, 0.0, r.y));
    NEED(CVodeSStolerances(r.cvode, relative, absolute));
    NEED(CVodeSetUserData(r.cvode, p));
    NEED(CVodeSetMaxNumSteps(r.cvode, 100000));
    r.solver = SUNLinSol_SPGMR(r.y, SUN_PREC_NONE, 30, r.context);
    NEED(CVodeSetLinearSolver(r.cvode, r.solver, NULL));
    NEED(CVodeSetJacTimes(r.cvode, NULL, jacobian_times));
    return r;
}
static void finish(struct run *r) {
    CVodeFree(&r->cvode);
    SUNLinSolFree(r->solver);
    N_VDestroy(r->y);
    SUNContext_Free(&r->context);
}

/* The goal of a tight run. */
static double run_for_goal(double *p) {
    struct run r = begin(p, 1e-11, 1e-12);
    double t;
    NEED(CVode(r.cvode, END, r.y, &t, CV_NORMAL));
    double g = goal(DATA(r.y));
    finish(&r);
    return g;
}

/* dG/dp[i] by central differences of fourth order. */
static double by_differences(const double *p, int i) {
    double moved[PARAMETERS], h = 1e-3 * p[i], difference[2];
    memcpy(moved, p, sizeof moved);
    for (int k = 0; k < 2; k++) {
        moved[i] = p[i] + (k + 1) * h;
        double high = run_for_goal(moved);
        moved[i] = p[i] - (k + 1) * h;
        difference[k] = (high - run_for_goal(moved)) / (2.0 * (k + 1) * h);
    }
    return (4.0 * difference[0] - difference[1]) / 3.0;
}

/* dG/dp by forward sensitivities: one equation more for each parameter. Returns the number of evaluations that the linear solver did for
 * difference quotients. */
static long by_forward(double *p, double *gradient) {
    struct run r = begin(p, 1e-10, 1e-10);
    N_Vector *s = N_VCloneVectorArray(PARAMETERS, r.y);
    double t, y[STATE], scale[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++) {
        double direction[PARAMETERS] = {0.0};
        direction[i] = 1.0, scale[i] = p[i];
        __ad_tangent_void((void *)start, p, direction, y, DATA(s[i]));
    }
    NEED(CVodeSensInit1(r.cvode, PARAMETERS, CV_STAGGERED, sensitivity_rhs, s));
    NEED(CVodeSetSensParams(r.cvode, NULL, scale, NULL));
    NEED(CVodeSensEEtolerances(r.cvode));
    NEED(CVodeSetSensErrCon(r.cvode, SUNTRUE));
    NEED(CVode(r.cvode, END, r.y, &t, CV_NORMAL));
    NEED(CVodeGetSens(r.cvode, &t, s));
    for (int i = 0; i < PARAMETERS; i++) gradient[i] = __ad_tangent_double((void *)goal, DATA(r.y), DATA(s[i]));
    long steps, products, evaluations;
    NEED(CVodeGetNumSteps(r.cvode, &steps));
    NEED(CVodeGetNumJtimesEvals(r.cvode, &products));
    NEED(CVodeGetNumLinRhsEvals(r.cvode, &evaluations));
    printf("forward: %ld steps, %ld products with the Jacobian\n", steps, products);
    N_VDestroyVectorArray(s, PARAMETERS);
    finish(&r);
    return evaluations;
}

/* dG/dp by one adjoint problem, whatever the number of parameters. */
static void by_adjoint(double *p, double *gradient) {
    struct run r = begin(p, 1e-10, 1e-10);
    double t;
    int checkpoints, which;
    NEED(CVodeAdjInit(r.cvode, 100, CV_HERMITE));
    NEED(CVodeF(r.cvode, END, r.y, &t, CV_NORMAL, &checkpoints));

    N_Vector lambda = N_VClone(r.y), integral = N_VNew_Serial(PARAMETERS, r.context);
    N_VConst(0.0, lambda);
    N_VConst(0.0, integral);
    __ad_adjoint_void((void *)goal, DATA(r.y), DATA(lambda));
    NEED(CVodeCreateB(r.cvode, CV_BDF, &which));
    NEED(CVodeInitB(r.cvode, which, adjoint_rhs, END, lambda));
    NEED(CVodeSStolerancesB(r.cvode, which, 1e-10, 1e-10));
    NEED(CVodeSetUserDataB(r.cvode, which, p));
    NEED(CVodeSetMaxNumStepsB(r.cvode, which, 100000));
    SUNLinearSolver solver = SUNLinSol_SPGMR(lambda, SUN_PREC_NONE, 30, r.context);
    NEED(CVodeSetLinearSolverB(r.cvode, which, solver, NULL));
    NEED(CVodeSetJacTimesB(r.cvode, which, NULL, adjoint_jacobian_times));
    NEED(CVodeQuadInitB(r.cvode, which, adjoint_quadrature, integral));
    NEED(CVodeQuadSStolerancesB(r.cvode, which, 1e-10, 1e-10));
    NEED(CVodeSetQuadErrConB(r.cvode, which, SUNTRUE));
    NEED(CVodeB(r.cvode, 0.0, CV_NORMAL));
    NEED(CVodeGetB(r.cvode, which, &t, lambda));
    NEED(CVodeGetQuadB(r.cvode, which, &t, integral));

    /* The integral runs backwards; the start depends on the parameters, too. */
    double y[STATE];
    for (int i = 0; i < PARAMETERS; i++) gradient[i] = -DATA(integral)[i];
    __ad_adjoint_void((void *)start, p, gradient, y, DATA(lambda));
    printf("adjoint: %d checkpoints\n", checkpoints);
    SUNLinSolFree(solver);
    N_VDestroy(lambda);
    N_VDestroy(integral);
    finish(&r);
}

/* ---- checks ---- */

static int failures;
static void expect(const char *what, double value, double bound) {
    /* A comparison with NaN is false: NaN fails. */
    int holds = value <= bound;
    printf("%-52s %9.2e, at most %.0e%s\n", what, value, bound, holds ? "" : ": WRONG");
    failures += !holds;
}
static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }

/* Tangent and adjoint of the right-hand side at a point, against differences and each other. */
static void check_products(const double *p) {
    double y[STATE], v[STATE], high[STATE], low[STATE], moved[STATE], ydot[STATE], jv[STATE], lambda[STATE], yb[STATE];
    double worst = 0.0, size = 0.0, from_left = 0.0, from_right = 0.0;
    start(p, y);
    for (int i = 0; i < STATE; i++) v[i] = cos(0.9 * i), lambda[i] = sin(1.0 + 1.7 * i);
    for (int i = 0; i < STATE; i++) moved[i] = y[i] + 1e-5 * v[i];
    reaction(moved, p, high);
    for (int i = 0; i < STATE; i++) moved[i] = y[i] - 1e-5 * v[i];
    reaction(moved, p, low);
    __ad_tangent_void((void *)reaction, y, v, ad_const, p, ydot, jv);
    pull_back(y, p, lambda, yb, NULL);
    for (int i = 0; i < STATE; i++) {
        worst = larger(fabs(jv[i] - (high[i] - low[i]) / 2e-5), worst);
        size = larger(fabs(jv[i]), size);
        from_left += lambda[i] * jv[i], from_right += yb[i] * v[i];
    }
    expect("Jacobian times vector against differences", worst / size, 1e-9);
    expect("adjoint against tangent", fabs(from_left - from_right) / size, 1e-12);
}

int main(void) {
    double p[PARAMETERS] = {1.0, 3.0, 0.02, 0.025}, forward[PARAMETERS], adjoint[PARAMETERS], worst_forward = 0.0, worst_adjoint = 0.0;
    check_products(p);
    long evaluations = by_forward(p, forward);
    by_adjoint(p, adjoint);
    puts("  dG/dp: forward          adjoint      differences");
    for (int i = 0; i < PARAMETERS; i++) {
        double difference = by_differences(p, i);
        printf("%16.8f %16.8f %16.8f\n", forward[i], adjoint[i], difference);
        worst_forward = larger(fabs(forward[i] - difference) / fabs(difference), worst_forward);
        worst_adjoint = larger(fabs(adjoint[i] - difference) / fabs(difference), worst_adjoint);
    }
    expect("forward sensitivities against differences of runs", worst_forward, 1e-6);
    expect("adjoint sensitivities against differences of runs", worst_adjoint, 1e-6);
    expect("evaluations for difference quotients", evaluations, 0);
    puts(failures ? "WRONG" : "right");
    return failures != 0;
}
