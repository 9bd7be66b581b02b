/* Tasks of OpenMP: recursive ones, dependences, taskloops with private and last values, groups, tasks of all threads, tasks
 * within tasks, undeferred and final ones. Derivatives run them where they are met. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <omp.h>
#include <stdlib.h>

enum { N = 32 };

static double of_halves(const double *x, int count, int depth) {
    if (count <= 4) {
        double s = 0;
        for (int i = 0; i < count; i++) s += x[i] * x[i];
        return s;
    }
    double a, b;
#pragma omp task shared(a) if (count > 8) final(depth > 3) mergeable
    a = of_halves(x, count / 2, depth + 1);
#pragma omp task shared(b) untied priority(2)
    b = of_halves(x + count / 2, count - count / 2, depth + 1);
#pragma omp taskwait
    return a * b + a;
}

static double halves(const double *x) {
    double r = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    r = of_halves(x, N, 0);
    return r;
}
AD_FUNCTIONAL(halves)

/* Blocks of a triangular solve, ordered by what they depend on. */
static void chain(const double *x, double *y) {
    double u[N], carried = x[0];
    for (int i = 0; i < N; i++) u[i] = x[i];
#pragma omp parallel num_threads(3) shared(u, carried)
#pragma omp master
    {
        for (int step = 0; step < 3; step++) {
            for (int k = 1; k < N; k++) {
                const double scale = 0.1 * x[k];
#pragma omp task depend(in : u[k - 1]) depend(inout : u[k]) firstprivate(scale)
                u[k] += scale * u[k - 1] * u[k];
            }
#pragma omp task depend(in : u[N - 1]) depend(inout : carried)
            carried = carried * u[N - 1] + u[0];
#pragma omp task depend(in : carried) depend(out : u[0])
            u[0] = carried * x[1];
#pragma omp taskwait depend(in : u[0])
        }
    }
    for (int i = 0; i < N; i++) y[i] = u[i] * carried;
}
AD_MAP(chain)

static void loops(const double *x, double *y) {
    double last = 0, weight = x[2] * x[3], table[4] = {x[0], x[1], x[2], x[3]};
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp taskloop grainsize(5) firstprivate(table, weight) lastprivate(last)
            for (int i = 0; i < N; i++) {
                table[i % 4] = x[i] * weight;
                last = table[i % 4] * x[(i + 1) % N];
                y[i] = last + table[0] * 0;
            }
#pragma omp taskloop num_tasks(3) collapse(2) nogroup
            for (int i = 1; i < 4; i++)
                for (int k = 0; k < 8; k++) y[8 * i + k] *= x[i] + 1;
#pragma omp taskwait
#pragma omp taskloop simd
            for (int i = 0; i < 8; i++) y[i] *= x[i];
        }
        /* Each thread makes tasks of its part. */
#pragma omp for
        for (int i = 0; i < N; i += 4) {
#pragma omp taskgroup
            {
#pragma omp task
                {
#pragma omp task
                    y[i + 1] = y[i + 1] * y[i + 1];
                    y[i] *= x[N - 1 - i];
#pragma omp taskyield
                }
            }
            y[i + 2] = y[i] * y[i + 1];
        }
    }
    y[0] = last;
}
AD_MAP(loops)

typedef struct node {
    double value;
    struct node *left, *right;
} node;

static node *grow(const double *x, int first, int count) {
    if (count == 0) return NULL;
    node *n = malloc(sizeof *n);
    const int half = count / 2;
    n->value = x[first + half];
#pragma omp task
    n->left = grow(x, first, half);
#pragma omp task
    n->right = grow(x, first + half + 1, count - half - 1);
#pragma omp taskwait
    return n;
}

static double gather(node *n, double product) {
    if (!n) return product;
    double a = 0, b = 0, next = product * (1 + 0.1 * n->value);
#pragma omp task shared(a) firstprivate(next)
    a = gather(n->left, next);
#pragma omp task shared(b) firstprivate(next)
    b = gather(n->right, next * next);
#pragma omp taskwait
    const double sum = a + b + n->value;
    free(n);
    return sum;
}

static double tree(const double *x) {
    double r = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        r = gather(grow(x, 0, N), 1);
    }
    return r;
}
AD_FUNCTIONAL(tree)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(halves, N), CHECK_MAP(chain, N, N), CHECK_MAP(loops, N, N), CHECK_FUNCTIONAL(tree, N)};
    for (int k = 0; k < 4; k++) check_random_points(&cases[k], 3, 0.3, 0.9);
    return check_done();
}
