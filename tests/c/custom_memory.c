/* Derivatives of the user's own for functions that work on memory: tapes, in-place updates, declared-only functions,
 * parameters without a shadow. In Enzyme's spelling; the functions themselves are in parts/custom_elsewhere.c.
 * ad-also: parts/custom_elsewhere.c */
// ad-switches: derivatives of the user's own, split sweeps, several directions
#include "requests.h"

static int forwards, reverses, tangents;

/* void f(const double *src, double *dst): the derivative is in the file, the function is not. */
void square_elsewhere(const double *src, double *dst);
void *square_augmented(const double *src, const double *dsrc, double *dst, double *ddst) {
    (void)dsrc, (void)ddst;
    double *tape = (double *)malloc(sizeof *tape);
    *tape = *src;
    *dst = *src * *src;
    forwards++;
    return tape;
}
void square_reverse(const double *src, double *dsrc, const double *dst, double *ddst, void *tape) {
    (void)src, (void)dst;
    *dsrc += 2.0 * *(double *)tape * *ddst;
    *ddst = 0.0;
    free(tape);
    reverses++;
}
void square_tangent(const double *src, const double *dsrc, double *dst, double *ddst) {
    *ddst = 2.0 * *src * *dsrc;
    *dst = *src * *src;
    tangents++;
}
void *__enzyme_register_gradient_square[] = {(void *)square_elsewhere, (void *)square_augmented, (void *)square_reverse};
void *__enzyme_register_derivative_square[] = {(void *)square_elsewhere, (void *)square_tangent};

/* y += a x, in place, and a result. The pattern holds integers: what is passed as its shadow is nobody's business. */
double update_elsewhere(double a, const double *x, const int *pattern, double *y, int n);
struct tape_and_sum { void *tape; double sum; };
struct sum_and_derivative { double sum, derivative; };
struct tape_and_sum update_augmented(double a, const double *x, const double *xb, const int *pattern, const void *none, double *y, double *yb, int n) {
    struct tape_and_sum both = {NULL, 0.0};
    (void)xb, (void)yb, (void)none;
    forwards++;
    double *tape = (double *)malloc(n * sizeof *tape);
    for (int i = 0; i < n; i++) tape[i] = x[pattern[i]];
    both.sum = update_elsewhere(a, x, pattern, y, n);
    both.tape = tape;
    return both;
}
double update_reverse(double a, const double *x, double *xb, const int *pattern, const void *none, double *y, double *yb, int n, double sum_b, void *tape) {
    double ab = 0.0, *then = (double *)tape;
    (void)x, (void)y, (void)none;
    for (int i = 0; i < n; i++) {
        double d = yb[i] + sum_b;
        yb[i] = d;
        ab += then[i] * d;
        xb[pattern[i]] += a * d;
    }
    free(tape);
    reverses++;
    return ab;
}
struct sum_and_derivative update_tangent(double a, double ad, const double *x, const double *xd, const int *pattern, const void *none, double *y, double *yd, int n) {
    struct sum_and_derivative both = {0.0, 0.0};
    (void)none;
    for (int i = 0; i < n; i++) {
        both.derivative += yd[i] += ad * x[pattern[i]] + a * xd[pattern[i]];
        both.sum += y[i] += a * x[pattern[i]];
    }
    tangents++;
    return both;
}
void *__enzyme_register_gradient_update[] = {(void *)update_elsewhere, (void *)update_augmented, (void *)update_reverse};
void *__enzyme_register_derivative_update[] = {(void *)update_elsewhere, (void *)update_tangent};

enum { N = 5 };
static const int pattern[N] = {1, 0, 3, 2, 3};
static int changing[N] = {2, 4, 4, 0, 1};

/* Its arrays are overwritten after the calls that used them: what the reverse sweeps need is on their tapes. */
static void program(const double *x, double *y) {
    double work[N], sums[N], one[1], squared[1];
    for (int i = 0; i < N; i++) work[i] = sin(x[i]), sums[i] = x[i] * 0.1;
    double sum = 0.0;
    for (int round = 0; round < 3; round++) {
        sum += update_elsewhere(x[round] * sum + 0.3, work, pattern, sums, N) * x[4];
        sum -= update_elsewhere(0.1, x, changing, sums, N);
        one[0] = work[round] + sum;
        square_elsewhere(one, squared);
        work[round] = squared[0] * 0.1 + sums[round];
        one[0] = squared[0];
    }
    for (int i = 0; i < N; i++) y[i] = work[i] * sums[i];
    square_elsewhere(&sum, &y[0]);
    y[1] += one[0];
}
AD_MAP(program)

static double alone(const double *x) {
    double y;
    square_elsewhere(x, &y);
    return y * x[0];
}
AD_FUNCTIONAL(alone)

int main(void) {
    check_case cases[] = {CHECK_MAP(program, N, N), CHECK_FUNCTIONAL(alone, 1)};
    double x[N];
    for (int i = 0; i < 2; i++) {
        check_fill(x, N, 0.4, 1.2);
        check_at(&cases[i], x);
    }
    check_true("tangents run", tangents > 0);
    check_true("forward sweeps run", forwards > 0);
    check_true("each forward sweep has its reverse", forwards == reverses);

    double v = 3.0, vb = 0.0, w, wb = 1.0;
    __ad_adjoint_void((void *)square_elsewhere, &v, &vb, &w, &wb);
    check_equal_bits("request on the function", vb, 6.0);
    return check_done();
}
