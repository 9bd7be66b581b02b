/* What the programs of second derivatives and of several directions share. Each includes the source of its objective and makes the requests.
 * Arguments:
 *
 *     PROGRAM PREFIX SECONDS RUNS WORD...
 *
 * as in bench.h, which describes them. Each program is compiled in two ways:
 *
 * - Plainly, it measures objective, gradient and Hessian times vector. The product is compared with central differences of gradients,
 *   and with its transpose: w^T (H v) = v^T (H w). Small functions have their whole Hessian measured, too, which is compared with the
 *   products and its transpose, and left in PREFIX.out for peers, to whom PREFIX.in gives the inputs (see bench.h).
 * - With -DDIRECTIONS, it measures tangents and adjoints in 1, 2, 4, 8 and 16 directions at once. Each direction is compared with that
 *   of a request of one direction.
 */
#ifndef SECOND_H
#define SECOND_H

#include "measure.h"

#include <ad.h>

extern void __ad_tangent_void(void *f, ...);
extern void __ad_adjoint_void(void *f, ...);

#ifndef DIRECTIONS

/* A function to R, its gradient, and Hessian times vector, which are set, not added to. */
typedef struct second {
    long inputs;
    double *x;
    long sizes[BENCH_SIZES]; /* what a peer has to know, and constants */
    const double *data;
    long data_count;
    void (*value)(const double *x, double *y);
    void (*gradient)(const double *x, double *g);
    void (*product)(const double *x, const double *v, double *g, double *hv);
} second;

static const second *second_code;
static double *second_v, *second_g, *second_hv, second_y;

/* Inputs of functions whose whole Hessian is computed. */
enum { SECOND_MOST_OF_HESSIAN = 256 };
/* Columns of a Hessian that one request gives. */
enum { SECOND_BLOCK = 1 };
static double *second_columns;

static void second_value(int which) {
    (void)which;
    second_code->value(second_code->x, &second_y);
}
static void second_gradient(int which) {
    (void)which;
    second_code->gradient(second_code->x, second_g);
}
static void second_product(int which) {
    (void)which;
    second_code->product(second_code->x, second_v, second_g, second_hv);
}

/* All columns, a block at a time. */
static void second_hessian(int which) {
    (void)which;
    long n = second_code->inputs;
    for (long first = 0; first < n; first += SECOND_BLOCK) {
        memset(second_v, 0, (size_t)n * sizeof *second_v);
        second_v[first] = 1.0;
        second_code->product(second_code->x, second_v, second_g, second_columns + first * n);
    }
}

/* The largest difference of an entry from that on the other side of the diagonal. */
static inline double second_asymmetry(long n) {
    double *transposed = bench_alloc(n * n, sizeof *transposed);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) transposed[i * n + j] = second_columns[j * n + i];
    double difference = bench_difference(n * n, transposed, second_columns);
    free(transposed);
    return difference;
}

/* Checks the whole Hessian, and leaves what peers need. */
static inline void second_whole(const char *prefix, const double *v, const double *hv) {
    long n = second_code->inputs, all = n * n;
    second_columns = bench_alloc(all, sizeof *second_columns);
    second_hessian(0);
    printf("count inputs %ld\n", n);
    printf("check symmetry %.3e\n", second_asymmetry(n));
    double *sum = bench_alloc(n, sizeof *sum), one = 1.0;
    for (long j = 0; j < n; j++)
        for (long i = 0; i < n; i++) sum[i] += second_columns[j * n + i] * v[j];
    printf("check columns %.3e\n", bench_difference(n, sum, hv));
    double header[BENCH_SIZES + 3] = {(double)second_code->data_count, (double)n, 1.0};
    for (int i = 0; i < BENCH_SIZES; i++) header[3 + i] = (double)second_code->sizes[i];
    const double *in[4] = {header, second_code->data, second_code->x, &one}, *out[1] = {second_columns};
    const long counts[4] = {BENCH_SIZES + 3, second_code->data_count, n, 1};
    bench_write(prefix, ".in", 4, in, counts);
    bench_write(prefix, ".out", 1, out, &all);
}

/* With RUNS 0, the gradient is evaluated once and nothing else; with RUNS 0 and the last WORD `product`, the product: for the tape's statistics. */
static inline int second_run(const second *code, int count, char **arguments) {
    double seconds, h = 1e-5, left = 0.0, right = 0.0, size = 0.0;
    int runs;
    measure_arguments(count, arguments, &seconds, &runs);
    long n = code->inputs;
    second_code = code;
    second_v = measure_directions(code->x, n, 1);
    second_g = bench_alloc(n, sizeof(double)), second_hv = bench_alloc(n, sizeof(double));
    if (runs == 0) {
        if (strcmp(arguments[count - 1], "product") == 0) second_product(0);
        else second_gradient(0);
        return 0;
    }
    double *w = measure_directions(code->x, n, 1), *moved = bench_alloc(n, sizeof *moved), *g = bench_alloc(n, sizeof *g);
    double *low = bench_alloc(n, sizeof *low), *hw = bench_alloc(n, sizeof *hw);
    for (long i = 0; i < n; i++) moved[i] = code->x[i] + h * second_v[i];
    code->gradient(moved, g);
    for (long i = 0; i < n; i++) moved[i] = code->x[i] - h * second_v[i];
    code->gradient(moved, low);
    for (long i = 0; i < n; i++) low[i] = (g[i] - low[i]) / (2.0 * h);
    code->product(code->x, w, g, hw);
    second_product(0);
    printf("check differences %.3e\n", bench_difference(n, low, second_hv));
    for (long i = 0; i < n; i++) {
        left += w[i] * second_hv[i], right += second_v[i] * hw[i];
        size += fabs(w[i] * second_hv[i]);
    }
    printf("check transpose %.3e\n", fabs(left - right) / size);
    memcpy(hw, second_hv, (size_t)n * sizeof *hw);
    second_gradient(0);
    printf("check gradient_of_product %.3e\n", bench_difference(n, g, second_g));
    int has_whole = n <= SECOND_MOST_OF_HESSIAN && code->data != NULL;
    if (has_whole) {
        memcpy(moved, second_v, (size_t)n * sizeof *moved);
        second_whole(arguments[1], moved, hw);
    }
    static const measure_kind kinds[] = {
        {"primal", second_value}, {"gradient", second_gradient}, {"product", second_product}, {"hessian", second_hessian}};
    measure(kinds, has_whole ? 4 : 3, seconds, runs);
    return 0;
}

#else

enum { SECOND_WIDTHS = 5, SECOND_WIDEST = 16 };

/* F of the widths that follow. */
#define SECOND_FOR_WIDTHS(F) F(1) F(2) F(4) F(8) F(16)
/* What F defines with names that end in the width. */
#define SECOND_TABLE(name) {name##1, name##2, name##4, name##8, name##16}

/* A function to R^outputs, its tangents and adjoints. Shadows of the directions lie side by side. Adjoints are added to xb, and may consume yb. */
typedef struct directions {
    long inputs, outputs;
    double *x;
    void (*value)(const double *x, double *y);
    void (*tangent[SECOND_WIDTHS])(const double *x, const double *xd, double *y, double *yd);
    void (*adjoint[SECOND_WIDTHS])(const double *x, double *xb, double *y, double *yb);
} directions;

static const directions *second_code;
static double *second_y, *second_xd, *second_yd, *second_xb, *second_yb, *second_seed;

static void second_value(int which) {
    (void)which;
    second_code->value(second_code->x, second_y);
}
static void second_tangent(int which) { second_code->tangent[which - 1](second_code->x, second_xd, second_y, second_yd); }
static void second_adjoint(int which) {
    int i = which - 1 - SECOND_WIDTHS;
    memcpy(second_yb, second_seed, ((size_t)second_code->outputs << i) * sizeof *second_yb);
    second_code->adjoint[i](second_code->x, second_xb, second_y, second_yb);
}

/* The largest difference of one direction from the request of one direction. */
static inline double second_worst(int width, long count, const double *all, const double *single) {
    double worst = 0.0;
    for (int d = 0; d < width; d++) {
        double r = bench_difference(count, all + d * count, single + d * count);
        if (!(r <= worst)) worst = r;
    }
    return worst;
}

static inline int directions_run(const directions *code, int count, char **arguments) {
    static const measure_kind kinds[1 + 2 * SECOND_WIDTHS] = {
        {"primal", second_value},    {"tangent1", second_tangent}, {"tangent2", second_tangent},  {"tangent4", second_tangent},
        {"tangent8", second_tangent}, {"tangent16", second_tangent}, {"adjoint1", second_adjoint}, {"adjoint2", second_adjoint},
        {"adjoint4", second_adjoint}, {"adjoint8", second_adjoint}, {"adjoint16", second_adjoint},
    };
    double seconds;
    int runs;
    measure_arguments(count, arguments, &seconds, &runs);
    long n = code->inputs, k = code->outputs, most = SECOND_WIDEST;
    second_code = code;
    second_xd = measure_directions(code->x, n, most), second_seed = bench_numbers(k * most, 0.5, 1.5);
    second_y = bench_alloc(k, sizeof(double)), second_yd = bench_alloc(k * most, sizeof(double));
    second_xb = bench_alloc(n * most, sizeof(double)), second_yb = bench_alloc(k * most, sizeof(double));
    double *yd = bench_alloc(k * most, sizeof *yd), *xb = bench_alloc(n * most, sizeof *xb), *yb = bench_alloc(k, sizeof *yb);
    for (long d = 0; d < most; d++) {
        code->tangent[0](code->x, second_xd + d * n, second_y, yd + d * k);
        memcpy(yb, second_seed + d * k, (size_t)k * sizeof *yb);
        code->adjoint[0](code->x, xb + d * n, second_y, yb);
    }
    double left = 0.0, right = 0.0, size = 0.0;
    for (long i = 0; i < k; i++) left += yd[i] * second_seed[i], size += fabs(yd[i] * second_seed[i]);
    for (long i = 0; i < n; i++) right += second_xd[i] * xb[i];
    printf("check transpose %.3e\n", fabs(left - right) / size);
    for (int i = 1; i < SECOND_WIDTHS; i++) {
        second_tangent(1 + i);
        printf("check tangent%d %.3e\n", 1 << i, second_worst(1 << i, k, second_yd, yd));
        memset(second_xb, 0, (size_t)(n * most) * sizeof *second_xb);
        second_adjoint(1 + SECOND_WIDTHS + i);
        printf("check adjoint%d %.3e\n", 1 << i, second_worst(1 << i, n, second_xb, xb));
    }
    if (runs > 0) measure(kinds, 1 + 2 * SECOND_WIDTHS, seconds, runs);
    return 0;
}

#endif
#endif
