/* Split mode: forward and reverse sweeps as requests of their own, tapes in any order, inputs overwritten in between,
 * other gradients and tapes meanwhile, results beside the tape. In both spellings. */
// ad-switches: derivatives of the user's own, split sweeps, several directions
// ad-open: tapes between requests
#include "requests.h"

struct tape_and_double { void *tape; double result; };
struct tape_and_float { void *tape; float result; };
struct tape_and_int { void *tape; int result; };
struct two { double a, b; };
extern struct tape_and_double __ad_augmented_double(void *f, ...);
extern struct tape_and_float __ad_augmented_float(void *f, ...);
extern struct tape_and_int __ad_augmented_int(void *f, ...);
extern void __ad_reverse_void(void *f, ...);
extern struct two __ad_reverse_two(void *f, ...);
extern float __ad_reverse_float(void *f, ...);
extern int enzyme_const, enzyme_dup, enzyme_out, enzyme_tape, enzyme_allocated;
extern void *__enzyme_augmentfwd(void *f, ...);
extern void __enzyme_augmentfwd_void(void *f, ...);
extern struct tape_and_double __enzyme_augmentfwd_double(void *f, ...);
extern double __enzyme_reverse(void *f, ...);
extern int __enzyme_augmentsize(void *f, ...);

enum { N = 6, TAPES = 1000 };

static double energy(double a, const double *x, double b, int n) {
    double sum = 0.0, last = a;
    for (int i = 0; i < n; i++) {
        last = last * x[i] + b;
        sum += sin(last) * x[i];
    }
    return sum;
}

/* In place, with a loop that ends early and memory of its own. */
static void relax(double *x, double *y, int n) {
    double *work = (double *)malloc(n * sizeof *work);
    for (int i = 0; i < n; i++) work[i] = x[i] * x[i];
    for (int sweep = 0; sweep < 20; sweep++) {
        double change = 0.0;
        for (int i = 1; i < n; i++) {
            double next = 0.5 * (x[i] + work[i] / (1.0 + x[i - 1] * x[i - 1]));
            change += fabs(next - x[i]);
            x[i] = next;
        }
        if (change < 1e-2) break;
    }
    for (int i = 0; i < n; i++) y[i] = x[i] * work[n - 1 - i];
    free(work);
}

__attribute__((noinline)) static double branchy(const double *x, int depth) {
    if (depth == 0) return x[0] * x[0];
    return branchy(x + 1, depth - 1) * (depth % 2 ? sin(x[0]) : x[0] > 0.1 ? x[0] * x[1] : 0.5);
}

static float single(float a, float b) { return a * a * b; }
static int counts(double *x) { return x[0] *= x[0] * x[1], x[1] > 0.5; }

/* ---- the two sweeps in the runner's clothes ---- */

static void energy_map(const double *x, double *y) { y[0] = energy(x[0], x + 1, x[N + 1], N); }
static void energy_tangent(const double *x, const double *xd, double *y, double *yd) {
    y[0] = energy(x[0], x + 1, x[N + 1], N);
    yd[0] = __ad_tangent_double((void *)energy, x[0], xd[0], x + 1, xd + 1, x[N + 1], xd[N + 1], N);
}
static void energy_adjoint(const double *x, double *xb, double *y, double *yb) {
    double changed[N];
    memcpy(changed, x + 1, sizeof changed);
    struct tape_and_double forward = __ad_augmented_double((void *)energy, x[0], changed, xb + 1, x[N + 1], N);
    y[0] = forward.result;
    for (int i = 0; i < N; i++) changed[i] = -1e3;
    struct two bars = __ad_reverse_two((void *)energy, x[0], changed, xb + 1, x[N + 1], N, yb[0], forward.tape);
    xb[0] += bars.a, xb[N + 1] += bars.b;
    yb[0] = 0.0;
}

static void relax_map(const double *x, double *y) {
    double own[N];
    memcpy(own, x, sizeof own);
    relax(own, y, N);
}
static void relax_tangent(const double *x, const double *xd, double *y, double *yd) {
    double own[N], ownd[N];
    memcpy(own, x, sizeof own), memcpy(ownd, xd, sizeof ownd);
    __ad_tangent_void((void *)relax, own, ownd, y, yd, N);
}
static void relax_adjoint(const double *x, double *xb, double *y, double *yb) {
    double own[N], ownb[N] = {0};
    memcpy(own, x, sizeof own);
    void *tape = __enzyme_augmentfwd((void *)relax, enzyme_dup, own, ownb, enzyme_dup, y, yb, enzyme_const, N);
    memset(own, 0x7f, sizeof own);
    __enzyme_reverse((void *)relax, enzyme_dup, own, ownb, enzyme_dup, y, yb, enzyme_const, N, tape);
    for (int i = 0; i < N; i++) xb[i] += ownb[i];
}

static void branchy_map(const double *x, double *y) { y[0] = branchy(x, N - 2); }
static void branchy_tangent(const double *x, const double *xd, double *y, double *yd) {
    y[0] = branchy(x, N - 2);
    yd[0] = __ad_tangent_double((void *)branchy, x, xd, N - 2);
}
static void branchy_adjoint(const double *x, double *xb, double *y, double *yb) {
    /* The tape in memory of the program's. */
    void *memory[1];
    check_true("size", __enzyme_augmentsize((void *)branchy, enzyme_dup, enzyme_const) == sizeof memory);
    y[0] = branchy(x, N - 2);
    __enzyme_augmentfwd_void((void *)branchy, enzyme_allocated, 8, enzyme_tape, memory, enzyme_dup, x, xb, N - 2);
    __ad_reverse_void((void *)branchy, ad_allocated, 8, ad_tape, memory, x, xb, N - 2, yb[0]);
    yb[0] = 0.0;
}

/* ---- many tapes ---- */

static double closed(double s) { return 3.0 * s * s; }
static double cube_sum(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i] * x[i];
    return sum;
}

static void in_any_order(void) {
    enum { OPEN = 40, LENGTH = 300 };
    static double x[OPEN][LENGTH], xb[OPEN][LENGTH];
    void *tapes[OPEN];
    int order[OPEN], lengths[OPEN];
    for (int t = 0; t < OPEN; t++) {
        order[t] = t, lengths[t] = 1 + (int)(check_random() % LENGTH);
        check_fill(x[t], LENGTH, 0.5, 1.5);
        tapes[t] = __ad_augmented((void *)cube_sum, x[t], xb[t], lengths[t]);
        /* A whole gradient between the sweeps. */
        double y[2] = {1.0, 2.0}, yb[2] = {0};
        __ad_adjoint_void((void *)cube_sum, y, yb, 2);
        check_equal_bits("gradient in between", yb[1], 12.0);
    }
    for (int t = OPEN - 1; t > 0; t--) {
        int k = (int)(check_random() % (t + 1)), other = order[t];
        order[t] = order[k], order[k] = other;
    }
    for (int i = 0; i < OPEN; i++) {
        int t = order[i];
        double before[LENGTH];
        memcpy(before, x[t], sizeof before);
        memset(x[t], 0, sizeof x[t]);
        __ad_reverse_void((void *)cube_sum, x[t], xb[t], lengths[t], (double)t, tapes[t]);
        for (int k = 0; k < lengths[t]; k++) check_close("any order", xb[t][k], t * closed(before[k]), 1e-14);
    }
}

static void thousand(void) {
    double x[3] = {0.5, 1.0, 2.0}, xb[3] = {0};
    static void *tapes[TAPES];
    for (int t = 0; t < TAPES; t++) {
        void *tape = __ad_augmented((void *)cube_sum, x, xb, 3);
        if (t % 3 == 0) adrt_tape_discard(tape);
        else __ad_reverse_void((void *)cube_sum, x, xb, 3, 1.0, tape);
    }
    check_close("one after another", xb[2], 666 * 12.0, 1e-14);
    for (int t = 0; t < TAPES; t++) tapes[t] = __ad_augmented((void *)cube_sum, x, xb, 3);
    for (int t = 0; t < TAPES; t++) __ad_reverse_void((void *)cube_sum, x, xb, 3, -1.0, tapes[t]);
    check_close("all at once", xb[2], -334 * 12.0, 1e-14);
}

int main(void) {
    check_case cases[] = {
        {.name = "energy", .n = N + 2, .m = 1, .primal = energy_map, .tangent = energy_tangent, .adjoint = energy_adjoint},
        {.name = "relax", .n = N, .m = N, .primal = relax_map, .tangent = relax_tangent, .adjoint = relax_adjoint},
        {.name = "branchy", .n = N, .m = 1, .primal = branchy_map, .tangent = branchy_tangent, .adjoint = branchy_adjoint},
    };
    double x[N + 2];
    for (int i = 0; i < 3; i++) {
        for (int point = 0; point < 3; point++) {
            check_fill(x, N + 2, 0.6, 1.4);
            check_at(&cases[i], x);
        }
    }
    struct tape_and_float f = __ad_augmented_float((void *)single, 2.0f, ad_const, 3.0f);
    check_equal_bits("float result", f.result, 12.0);
    check_equal_bits("float adjoint", __ad_reverse_float((void *)single, 2.0f, ad_const, 3.0f, 0.5f, f.tape), 6.0);
    double v[2] = {2.0, 3.0}, vb[2] = {1.0, 0.0};
    struct tape_and_int c = __ad_augmented_int((void *)counts, v, vb);
    check_true("int result", c.result == 1);
    check_equal_bits("in place", v[0], 12.0);
    __ad_reverse_void((void *)counts, v, vb, c.tape);
    check_equal_bits("counts [0]", vb[0], 12.0), check_equal_bits("counts [1]", vb[1], 4.0);
    in_any_order();
    thousand();
    return check_done();
}
