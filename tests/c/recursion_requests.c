/* Recursion in all the ways in which a request may ask: the sweeps apart with inputs overwritten in between, several directions at once,
 * calls that run again, checkpointed steps. Each is compared with the plain gradient of the same function. */
#include "requests.h"

enum { ORDER = 4, N = ORDER * ORDER, W = 3, STEPS = 7 };

struct tape_and_double { void *tape; double result; };
extern struct tape_and_double __ad_augmented_double(void *f, ...);
extern void __ad_reverse_void(void *f, ...);

static volatile int order_of_matrix = ORDER; /* no order is known where the functions are compiled */

static double minor_of(int n, const double *a, int row, unsigned used) {
    if (row == n) return 1.0;
    double sum = 0.0, sign = 1.0;
    for (int c = 0; c < n; c++) {
        if (used >> c & 1u) continue;
        sum += sign * a[row * n + c] * minor_of(n, a, row + 1, used | 1u << c);
        sign = -sign;
    }
    return sum;
}

/* Pairs of halves, with a result through memory that each call has for itself. */
static void fold(const double *x, int n, double scale, double *out) {
    if (n == 1) {
        *out = x[0] * scale;
        return;
    }
    double parts[2];
    for (int i = 0; i < 2; i++) {
        if (x[i] > 100.0) continue;
        fold(x + i * (n / 2), i ? n - n / 2 : n / 2, 0.4 * scale * x[i] + 0.3, &parts[i]);
    }
    *out = 0.5 * parts[0] + parts[1] + sin(parts[0] * scale);
}

static double both(const double *x, int order) {
    double folded;
    fold(x, order * order, x[1], &folded);
    return minor_of(order, x, 0, 0u) * folded + folded;
}

static double plain(const double *x) { return both(x, order_of_matrix); }
AD_FUNCTIONAL(plain)

/* Calls that run again. */
static double once_more(const double *x, int order, double t) { return both(x, order) * t; }
void *__ad_joint_function_once_more[] = {(void *)once_more};
static double again(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        ad_checkpoint_state(x, N * sizeof *x);
        sum += once_more(x, order_of_matrix, x[i]) * (1.0 + 0.1 * sum);
    }
    return sum;
}

static void seed_and_tapes(void) {
    double x[N], changed[N], xb[N] = {0.0}, reference[N] = {0.0}, y, yb = 1.0;
    check_seed(5), check_fill(x, N, 0.4, 1.3);
    plain_adjoint(x, reference, &y, &yb);
    memcpy(changed, x, sizeof x);
    struct tape_and_double forward = __ad_augmented_double((void *)both, changed, xb, (int)ORDER);
    check_close("the result beside the tape", forward.result, plain(x), 1e-14);
    for (int i = 0; i < N; i++) changed[i] = -1e3;
    /* Another gradient in between takes and gives back memory of the tape's. */
    double other[N] = {0.0}, value, seed = 1.0;
    plain_adjoint(x, other, &value, &seed);
    __ad_reverse_void((void *)both, changed, xb, (int)ORDER, 1.0, forward.tape);
    for (int i = 0; i < N; i++) check_close("apart", xb[i], reference[i], 1e-12);
}

static void map(const double *x, double *y, int order) {
    y[0] = minor_of(order, x, 0, 0u);
    fold(x, order * order, x[0], &y[1]);
}
static void directions(void) {
    double x[N], y[2], yb[W][2], seeds[W][2] = {{1.0, 0.0}, {0.0, 1.0}, {0.7, -0.4}}, xb[W][N] = {{0.0}};
    check_seed(6), check_fill(x, N, 0.4, 1.3), memcpy(yb, seeds, sizeof yb);
    __ad_adjoint_void((void *)map, ad_width, W, x, xb[0], xb[1], xb[2], y, yb[0], yb[1], yb[2], (int)ORDER);
    for (int k = 0; k < W; k++) {
        double alone[N] = {0.0}, seed[2] = {seeds[k][0], seeds[k][1]};
        __ad_adjoint_void((void *)map, x, alone, y, seed, (int)ORDER);
        for (int i = 0; i < N; i++) check_close("in several directions", xb[k][i], alone[i], 1e-12);
    }
}

static void steps(double *x, int n, int order) {
    for (int i = 0; i < n; i++) {
        ad_checkpoint_loop(2);
        double folded;
        fold(x, order, 0.3 + 0.01 * i, &folded);
        x[i % order] = 0.9 * x[i % order] + 0.01 * sin(folded);
    }
}
static void step_by_step(double *x, int n, int order) {
    for (int i = 0; i < n; i++) {
        double folded;
        fold(x, order, 0.3 + 0.01 * i, &folded);
        x[i % order] = 0.9 * x[i % order] + 0.01 * sin(folded);
    }
}
static void checkpointed(const double *x, double *y) {
    double own[ORDER];
    memcpy(own, x, sizeof own);
    steps(own, STEPS, ORDER);
    memcpy(y, own, sizeof own);
}
static void recorded(const double *x, double *y) {
    double own[ORDER];
    memcpy(own, x, sizeof own);
    step_by_step(own, STEPS, ORDER);
    memcpy(y, own, sizeof own);
}
static void checkpoints(void) {
    double x[ORDER], y[ORDER], xb[2][ORDER] = {{0.0}}, yb[2][ORDER];
    check_seed(7), check_fill(x, ORDER, 0.4, 1.3), check_fill(yb[0], ORDER, -1.0, 1.0), memcpy(yb[1], yb[0], sizeof yb[0]);
    __ad_adjoint_void((void *)checkpointed, x, xb[0], y, yb[0]);
    __ad_adjoint_void((void *)recorded, x, xb[1], y, yb[1]);
    for (int i = 0; i < ORDER; i++) check_close("checkpointed", xb[0][i], xb[1][i], 1e-13);
}

AD_FUNCTIONAL(again)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(plain, N), CHECK_FUNCTIONAL(again, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 2, 0.5, 1.2);
    seed_and_tapes();
    directions();
    checkpoints();
    return check_done();
}
