/* The gradient of a Gaussian mixture's log-likelihood, made by the compiler:
 *
 *   adcc -O3 --ad-adjoint='gmm_objective(err)/(alphas, means, icf)' --ad-tangent='gmm_objective(err)/(alphas, means, icf)' \
 *        -I bench/objectives demo/gmm_demo.c bench/objectives/gmm.c bench/objectives/load_gmm.c -o gmm_demo -lm
 *
 * Nobody wrote gmm_objective_b and gmm_objective_d. The program compares them with central differences and with each
 * other, takes the time of a gradient in multiples of the objective's own, and exits with 1 when a check fails.
 */
#include "gmm.h"
#include "load_gmm.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A shadow follows each active argument. The adjoint adds into the shadows of the inputs and consumes that of err. */
void gmm_objective_b(int d, int k, int n, const double *alphas, double *alphasb, const double *means, double *meansb,
                     const double *icf, double *icfb, const double *x, double gamma, int m, double *err, double *errb);
void gmm_objective_d(int d, int k, int n, const double *alphas, const double *alphasd, const double *means,
                     const double *meansd, const double *icf, const double *icfd, const double *x, double gamma, int m,
                     double *err, double *errd);

enum { D = 10, K = 25, N = 1000, SEED = 20, SAMPLES = 24, RUNS = 21, LEVELS = 4 };
enum { STRIDE = D * (D + 1) / 2, PARAMETERS = K * (1 + D + STRIDE) };

static gmm_instance it;

/* All parameters in one vector: alphas, means, icf. */
static double objective(const double *p) {
    double err;
    gmm_objective(D, K, N, p, p + K, p + K + K * D, it.x, it.gamma, it.m, &err);
    return err;
}

static void gradient(const double *p, double *pb) {
    double err, errb = 1.0;
    memset(pb, 0, PARAMETERS * sizeof *pb);
    gmm_objective_b(D, K, N, p, pb, p + K, pb + K, p + K + K * D, pb + K + K * D, it.x, it.gamma, it.m, &err, &errb);
}

static double tangent(const double *p, const double *pd) {
    double err, errd = 0.0;
    gmm_objective_d(D, K, N, p, pd, p + K, pd + K, p + K + K * D, pd + K + K * D, it.x, it.gamma, it.m, &err, &errd);
    return errd;
}

/* Central differences at h, h/2, ... with Richardson extrapolation. */
static double difference(double *p, int i) {
    double table[LEVELS], keep = p[i], h = 0.05;
    for (int level = 0; level < LEVELS; level++, h *= 0.5) {
        p[i] = keep + h;
        double plus = objective(p);
        p[i] = keep - h;
        table[level] = (plus - objective(p)) / (2.0 * h);
        p[i] = keep;
    }
    for (double factor = 4.0, left = LEVELS - 1; left > 0; left--, factor *= 4.0)
        for (int j = 0; j < left; j++) table[j] = table[j + 1] + (table[j + 1] - table[j]) / (factor - 1.0);
    return table[0];
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times) {
    qsort(times, RUNS, sizeof *times, by_size);
    return times[RUNS / 2];
}

/* Anything but a number below the limit fails, NaN too. */
static int report(const char *what, double value, double limit) {
    int holds = value <= limit;
    printf("%-44s %10.2e   %s (limit %.0e)\n", what, value, holds ? "ok" : "FAILED", limit);
    return !holds;
}

int main(void) {
    static double p[PARAMETERS], pb[PARAMETERS], pd[PARAMETERS];
    it = gmm_generate(D, K, N, SEED);
    memcpy(p, it.alphas, K * sizeof *p);
    memcpy(p + K, it.means, (size_t)K * D * sizeof *p);
    memcpy(p + K + K * D, it.icf, (size_t)K * STRIDE * sizeof *p);

    gradient(p, pb);
    double norm = 0.0, largest = 0.0;
    for (int i = 0; i < PARAMETERS; i++) {
        norm += pb[i] * pb[i];
        largest = fmax(largest, fabs(pb[i]));
    }
    printf("Gaussian mixture, d = %d, k = %d, n = %d: %d parameters\n", D, K, N, PARAMETERS);
    printf("%-44s %.12e\n", "objective", objective(p));
    printf("%-44s %.12e\n", "gradient norm", sqrt(norm));

    /* An entry far below the largest drowns in the rounding of the objective itself: relative to 1e-3 of the largest. */
    double worst = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        int i = (int)((long)s * (PARAMETERS - 1) / (SAMPLES - 1));
        double want = difference(p, i), error = fabs(pb[i] - want) / fmax(fabs(want), 1e-3 * largest);
        worst = isnan(worst) || error <= worst ? worst : error; /* once NaN, always NaN */
    }
    int failures = report("adjoint against differences, relative", worst, 1e-6);

    uint64_t state = 1;
    double dot = 0.0, size = 0.0;
    for (int i = 0; i < PARAMETERS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        pd[i] = (double)(state >> 11) * 0x1p-52 - 1.0;
        dot += pb[i] * pd[i];
        size += fabs(pb[i] * pd[i]);
    }
    failures += report("tangent against adjoint, dot-product residual", fabs(tangent(p, pd) - dot) / size, 1e-12);

    static double primal_times[RUNS], gradient_times[RUNS];
    volatile double sink = 0.0;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        sink += objective(p);
        double middle = now();
        gradient(p, pb);
        primal_times[run] = middle - start;
        gradient_times[run] = now() - middle;
    }
    double primal_time = median(primal_times), gradient_time = median(gradient_times);
    printf("%-44s %.3f ms\n", "objective, median time", 1e3 * primal_time);
    printf("%-44s %.3f ms = %.2f objectives\n", "gradient, median time", 1e3 * gradient_time, gradient_time / primal_time);
    gmm_free(&it);
    return failures != 0;
}
