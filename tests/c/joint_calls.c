/* Functions that run again in the reverse sweep instead of recording: by a declaration, and by an option. */
/* ad-option: -ad-joint=smoothed,twice */
#include "requests.h"

enum { N = 5 };

static void relaxed(double *u, int n, double c) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++) u[i] = u[i] * (1.0 - c * u[n - 1 - i]) + 0.1 * c;
}
void *__ad_joint_function_relaxed[] = {(void *)relaxed};

/* An active result, an active argument by value. */
double smoothed(const double *u, int n, double w) {
    double s = 0.0;
    for (int i = 0; i < n; i++) s = sin(s * w + u[i]);
    return s * w;
}

/* Calls a joint function, and is one. */
double twice(double *u, int n, double w) {
    ad_checkpoint_state(u, n * sizeof *u);
    relaxed(u, n, 0.2 * w);
    return smoothed(u, n, w) + smoothed(u, n, u[0]);
}

static double all(const double *x) {
    double u[N], y;
    for (int i = 0; i < N; i++) u[i] = x[i];
    relaxed(u, N, 0.3);
    y = smoothed(u, N, x[1]);
    for (int t = 0; t < 3; t++) {
        relaxed(u, N, 0.1 * y);
        y += twice(u, N, x[t]);
        u[t] = y * 0.1;
    }
    return y + u[4];
}

/* Itself, through another function. */
static double down(double *u, int depth);
static double further(double *u, int depth) {
    u[depth % N] *= 1.1;
    return depth > 0 ? down(u, depth - 1) * u[0] : u[1];
}
void *__ad_joint_function_further[] = {(void *)further};
static double down(double *u, int depth) {
    ad_checkpoint_state(u, N * sizeof *u);
    return sin(further(u, depth)) + u[2] * u[depth % N];
}
static double recursive(const double *x) {
    double u[N];
    for (int i = 0; i < N; i++) u[i] = x[i];
    return down(u, 4) + u[3];
}

AD_FUNCTIONAL(all)
AD_FUNCTIONAL(recursive)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(all, N), CHECK_FUNCTIONAL(recursive, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 4, 0.3, 1.1);
    return check_done();
}
