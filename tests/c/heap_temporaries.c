/* Temporaries from malloc and calloc, freed before the function returns; their sizes depend on an argument, and some are
 * allocated anew in each trip of a loop. */
// ad-switches: aliasing
// ad-sanitizers: address
#include "requests.h"

enum { N = 5 };

static double with_malloc(const double *x, int n) {
    double *t = malloc((size_t)n * sizeof *t), sum = 0.0;
    for (int i = 0; i < n; i++) t[i] = x[i] * x[i] * x[i];
    for (int i = 0; i < n; i++) sum += t[i] * x[n - 1 - i];
    free(t);
    return sum;
}

static double with_calloc(const double *x, int n) {
    double *t = calloc((size_t)n, sizeof *t), sum = 0.0;
    for (int i = 1; i < n; i += 2) t[i] = exp(x[i]); /* the even ones stay zero */
    for (int i = 0; i < n; i++) sum += t[i] * x[i] + t[i];
    free(t);
    return sum;
}

static double in_loop(const double *x, int n) {
    double sum = 0.0;
    for (int i = 1; i <= n; i++) {
        double *t = malloc((size_t)i * sizeof *t);
        for (int j = 0; j < i; j++) t[j] = x[j] * (i + j);
        double product = 1.0;
        for (int j = 0; j < i; j++) product *= t[j];
        sum += product;
        free(t);
    }
    return sum;
}

/* One of the same size in each trip, and one in an inner loop; what they hold is needed later. */
static double in_nest(const double *x, int n) {
    double u[N], sum = 0.0;
    for (int i = 0; i < n; i++) u[i] = x[i];
    for (int s = 0; s < 4; s++) {
        double *t = malloc((size_t)n * sizeof *t);
        for (int i = 0; i < n; i++) t[i] = sin(u[i]) * u[(i + 1) % n];
        for (int k = 0; k < 3; k++) {
            double *w = malloc((size_t)n * sizeof *w);
            for (int i = 0; i < n; i++) w[i] = t[i] * u[n - 1 - i];
            for (int i = 0; i < n; i++) t[i] += 0.1 * w[i] * w[(i + 2) % n];
            free(w);
        }
        for (int i = 0; i < n; i++) u[i] = 0.5 * atan(t[i]) + x[i];
        free(t);
    }
    for (int i = 0; i < n; i++) sum += u[i];
    return sum;
}

/* Trips that end before the block is freed, or that have none; one that is still there after the loop. */
static double in_some_trips(const double *x, int n) {
    double sum = 0.0, *last = NULL;
    for (int i = 0; i < n; i++) {
        if (x[i] > 1.1) continue;
        double *t = malloc((size_t)n * sizeof *t);
        for (int j = 0; j < n; j++) t[j] = x[j] * x[i];
        sum += t[i] * t[n - 1 - i];
        if (i + 2 == n) {
            last = t;
            break;
        }
        free(t);
    }
    for (int i = 0; last && i < n; i++) sum += last[i] * last[i];
    free(last);
    return sum;
}

#define CASE(f)                                                                                      \
    static double f##_n(const double *x) { return f(x, N); }                                         \
    AD_FUNCTIONAL(f##_n)
CASE(with_malloc)
CASE(with_calloc)
CASE(in_loop)
CASE(in_nest)
CASE(in_some_trips)

static void with_malloc_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) {
        double other = x[N - 1 - i];
        J[i] = 3.0 * x[i] * x[i] * other + other * other * other;
    }
}
static void with_calloc_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) J[i] = i % 2 ? exp(x[i]) * (2.0 + x[i]) : 0.0;
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(with_malloc_n, N), CHECK_FUNCTIONAL(with_calloc_n, N),
                          CHECK_FUNCTIONAL(in_loop_n, N), CHECK_FUNCTIONAL(in_nest_n, N),
                          CHECK_FUNCTIONAL(in_some_trips_n, N)};
    cases[0].jacobian = with_malloc_jacobian;
    cases[1].jacobian = with_calloc_jacobian;
    for (int i = 0; i < 5; i++) check_random_points(&cases[i], 3, 0.3, 1.3);
    return check_done();
}
