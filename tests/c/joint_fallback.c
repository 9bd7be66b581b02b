/* Calls that cannot run twice are split although all calls are to be joint: random numbers, volatile memory, memory of unknown size. Each
 * function prints a letter when it runs. (Without optimisation, all are inlined into what is differentiated.) */
/* ad-option: -ad-calls=joint */
/* ad-levels: O1 O2 O3 */
#include "requests.h"
#include <unistd.h>

enum { N = 5 };

/* It is not known that it stays so. */
int elements = N;

static volatile int knob = 2;

/* What it draws decides nothing that is differentiated. */
static __attribute__((noinline)) double drawn(double x) {
    puts("d");
    double noise = 0.0 * rand();
    for (int k = 0; k < 3; k++) x = sin(x) + 0.1 * x + noise;
    return x;
}
static __attribute__((noinline)) double turned(double x) {
    puts("t");
    for (int k = 0; k < knob; k++) x = x * cos(x);
    return x;
}
/* It changes memory of which the caller knows no size. */
static __attribute__((noinline)) void relaxed(double *u, int n) {
    puts("r");
    for (int i = 1; i < n; i++) u[i * i % n] += 0.3 * u[i] * u[i - 1];
}
static __attribute__((noinline)) double settled(double x) {
    puts("s");
    for (int k = 0; k < 4; k++) x = sin(x) + 0.4;
    return x;
}
/* What it calls draws as well. */
static __attribute__((noinline)) double around(double x) {
    puts("a");
    double s = 0.0;
    for (int i = 1; i < 4; i++) s += drawn(x * i) * settled(x);
    return s;
}
static __attribute__((noinline)) double work(double *u, int n) {
    relaxed(u, n);
    double s = 0.0;
    for (int i = 0; i < n; i++) s += drawn(u[i]) * turned(u[i]) + around(u[i]);
    return s;
}
static double all(const double *x) {
    double u[N];
    for (int i = 0; i < N; i++) u[i] = x[i];
    return work(u, elements);
}
AD_FUNCTIONAL(all)

/* How much more often functions run in a gradient than in the primal: what is joint runs once more per call, what is split does not. */
static void count(const check_case *c) {
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
    check_true("settled is joint", more['s'] == 3 * N);
    check_true("what cannot run twice is split", more['d'] == 0 && more['t'] == 0 && more['r'] == 0 && more['a'] == 0);
}

int main(void) {
    check_case c = CHECK_FUNCTIONAL(all, N);
    count(&c);
    check_random_points(&c, 4, 0.3, 0.9);
    return check_done();
}
