/* Workspaces that global variables lead to and that were allocated before the request: by the program, or by differentiated
 * code in an earlier request. Blocks of blocks, blocks that grow, pointers into the middle of one.
 * ad-sanitizers: address */
#include "ending.h"
#include "requests.h"
#include <stdlib.h>
#include <string.h>

enum { N = 4 };

/* Allocated once, when it is needed first. */
static double *lazy;
static double lazily(const double *x) {
    if (!lazy) lazy = malloc(N * sizeof *lazy);
    for (int i = 0; i < N; i++) lazy[i] = x[i] * x[(i + 1) % N];
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += lazy[i] * lazy[i];
    return sum;
}
static void lazily_jacobian(const double *x, double *J) {
    for (int i = 0; i < N; i++) {
        double next = x[(i + 1) % N], last = x[(i + N - 1) % N];
        J[i] = 2.0 * x[i] * (next * next + last * last);
    }
}

/* Grows as it is needed, and is freed in between. */
static double *stack;
static int capacity;
static void push(int at, double value) {
    if (at >= capacity) {
        capacity = capacity ? 2 * capacity : 1;
        stack = realloc(stack, (size_t)capacity * sizeof *stack);
    }
    stack[at] = value;
}
static double growing(const double *x) {
    for (int i = 0; i < 3 * N; i++) push(i, x[i % N] * (i + 1));
    double sum = 0.0;
    for (int i = 0; i + 1 < 3 * N; i++) sum += stack[i] * stack[i + 1];
    return sum;
}

/* Rows, and members of several kinds. */
struct work {
    char name[12];
    int n;
    double **rows, *diagonal, *cursor, sum;
};
static struct work *work;
static void set_up(int n) {
    work = calloc(1, sizeof *work);
    strcpy(work->name, "rows");
    work->n = n;
    work->rows = malloc((size_t)n * sizeof *work->rows);
    for (int i = 0; i < n; i++) work->rows[i] = calloc((size_t)n, sizeof **work->rows);
    work->diagonal = malloc((size_t)n * sizeof *work->diagonal);
    work->cursor = work->diagonal + 1;
}
static void tear_down(void) {
    for (int i = 0; i < work->n; i++) free(work->rows[i]);
    free(work->rows);
    free(work->diagonal);
    free(work);
    work = NULL;
}
__attribute__((noinline)) static void fill(double **rows, const double *x, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) rows[i][j] = x[i] * x[j] + i;
}
static double by_rows(const double *x) {
    fill(work->rows, x, work->n);
    for (int i = 0; i < work->n; i++) work->diagonal[i] = work->rows[i][i] * x[0];
    work->sum = work->cursor[0] * work->cursor[-1];
    for (int i = 0; i < work->n; i++)
        for (int j = 0; j < work->n; j++) work->sum += work->rows[i][j] * work->rows[j][i] + work->diagonal[j];
    return work->sum;
}

/* What was there before is constant. */
static double *kept;
static double with_kept(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        sum += kept[i] * x[i];
        kept[i] = x[i] * x[i];
        sum += kept[i] * x[0];
    }
    for (int i = 0; i < N; i++) kept[i] = i + 1.0;
    return sum;
}
static void with_kept_jacobian(const double *x, double *J) {
    double squares = 0.0;
    for (int i = 0; i < N; i++) squares += x[i] * x[i];
    for (int i = 0; i < N; i++) J[i] = i + 1.0 + 2.0 * x[i] * x[0] + (i == 0) * squares;
}

/* Reached by an argument as well. */
static double *shared;
static double by_both(const double *x) {
    for (int i = 0; i < N; i++) shared[i] = x[i] * x[i];
    return shared[0] + shared[1];
}

AD_FUNCTIONAL(lazily)
AD_FUNCTIONAL(growing)
AD_FUNCTIONAL(by_rows)
AD_FUNCTIONAL(with_kept)
AD_FUNCTIONAL(by_both)

int main(void) {
    check_case first = CHECK_FUNCTIONAL(lazily, N);
    first.jacobian = lazily_jacobian;
    check_random_points(&first, 3, 0.3, 1.2);
    free(lazy);
    lazy = NULL;
    check_random_points(&first, 3, 0.3, 1.2);
    free(lazy);

    check_case second = CHECK_FUNCTIONAL(growing, N);
    check_random_points(&second, 3, 0.3, 1.2);
    free(stack);
    stack = NULL;
    capacity = 0;
    check_random_points(&second, 3, 0.3, 1.2);
    free(stack);

    check_case third = CHECK_FUNCTIONAL(by_rows, N);
    for (int i = 0; i < 2; i++) {
        set_up(N);
        check_random_points(&third, 3, 0.3, 1.2);
        tear_down();
    }

    kept = malloc(N * sizeof *kept);
    for (int i = 0; i < N; i++) kept[i] = i + 1.0;
    check_case fourth = CHECK_FUNCTIONAL(with_kept, N);
    fourth.jacobian = with_kept_jacobian;
    check_random_points(&fourth, 3, 0.3, 1.2);
    free(kept);

    check_case fifth = CHECK_FUNCTIONAL(by_both, N);
    shared = malloc(N * sizeof *shared);
    for (int i = 0; i < N; i++) shared[i] = 0.5;
    for (int adjoint = 0; adjoint < 2; adjoint++)
        check_case_ends("an argument that leads there", &fifth, shared, adjoint, "AD222", "'shared'");
    check_random_points(&fifth, 3, 0.3, 1.2);
    free(shared);
    return check_done();
}
