/* Calls that are split although others of their kind are joint: by a marker around them, and by a declaration. How often a function ran
 * tells which it was: each time, it prints a letter. (Without optimisation, all are inlined into what is differentiated.) */
/* ad-option: -ad-calls=joint */
/* ad-option: -ad-split=scaled */
/* ad-levels: O1 O2 O3 */
#include "requests.h"
#include <unistd.h>

enum { N = 5 };

static __attribute__((noinline)) void relaxed(double *u, int n, double c) {
    puts("r");
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++) u[i] = u[i] * (1.0 - c * u[n - 1 - i]) + 0.1 * c;
}
static __attribute__((noinline)) double smoothed(const double *u, int n, double w) {
    puts("s");
    double s = 0.0;
    for (int i = 0; i < n; i++) s = sin(s * w + u[i]);
    return s * w;
}
void *__ad_split_function_smoothed[] = {(void *)smoothed};

__attribute__((noinline)) double scaled(double *u, int n, double w) {
    puts("c");
    double product = 1.0;
    for (int i = 0; i < n; i++) product *= 1.0 + 0.1 * (u[i] *= w);
    return product;
}

/* Two ways lead into the part, one out of it. */
static double parts(const double *x) {
    double u[N], y;
    for (int i = 0; i < N; i++) u[i] = x[i];
    relaxed(u, N, 0.3);
    for (int t = 0; t < 3; t++) {
        if (u[t] > 0.5) {
            ad_split_begin();
            relaxed(u, N, 0.1);
        } else {
            ad_split_begin();
            u[t] *= 1.5;
        }
        for (int k = 0; k < 2; k++) relaxed(u, N, 0.01 * k + 0.1 * u[t]);
        ad_split_end();
        relaxed(u, N, 0.2);
    }
    y = smoothed(u, N, x[1]) * scaled(u, N, x[2]);
    return y + u[4];
}

/* A part that ends with the function. */
static double to_the_end(const double *x) {
    double u[N];
    for (int i = 0; i < N; i++) u[i] = x[i];
    ad_split_begin();
    relaxed(u, N, 0.3);
    if (x[0] > 0.7) return smoothed(u, N, u[0]);
    relaxed(u, N, 0.2);
    return u[1];
}

/* Joint within joint. */
static __attribute__((noinline)) double both(double *u, int n) {
    puts("b");
    ad_checkpoint_state(u, n * sizeof *u);
    relaxed(u, n, 0.1);
    return smoothed(u, n, u[0]) * u[1];
}
static double nested(const double *x) {
    double u[N];
    for (int i = 0; i < N; i++) u[i] = x[i];
    return both(u, N) + both(u, N);
}

AD_FUNCTIONAL(parts)
AD_FUNCTIONAL(to_the_end)
AD_FUNCTIONAL(nested)

/* How much more often the functions 'r', 's' and 'b' run in a gradient than in the primal. */
static void count(const check_case *c, int r, int s, int b) {
    const double x[N] = {0.9, 0.8, 0.3, 0.6, 0.7};
    double xb[N] = {0.0}, y, yb = 1.0;
    int more[256] = {0};
    fflush(stdout);
    const int out = dup(1);
    for (int i = 0; i < 2; i++) {
        FILE *file = tmpfile();
        dup2(fileno(file), 1);
        i == 0 ? c->primal(x, &y) : c->adjoint(x, xb, &y, &yb);
        fflush(stdout);
        dup2(out, 1);
        rewind(file);
        for (int k; (k = fgetc(file)) != EOF;) more[k] += i == 0 ? -1 : 1;
        fclose(file);
    }
    close(out);
    check_true(c->name, more['r'] == r);
    check_true(c->name, more['s'] == s && more['c'] == 0);
    check_true(c->name, more['b'] == b);
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(parts, N), CHECK_FUNCTIONAL(to_the_end, N), CHECK_FUNCTIONAL(nested, N)};
    /* Before and behind the part, four times. */
    count(&cases[0], 4, 0, 0);
    count(&cases[1], 0, 0, 0);
    /* What is joint in a joint call runs when that runs, when that is recorded, and when it is undone itself. */
    count(&cases[2], 4, 2, 2);
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 4, 0.3, 1.1);
    printf("\n");
    return check_done();
}
