/* What the threads of a team add to shared shadow memory: stencils, indirect accesses, all of an array by every thread, floats beside doubles, copies of
 * structs, variables and blocks of a thread that other functions are given, arrays that threads write where others read before a barrier. Arrays are larger
 * than the pieces in which threads own memory (runtime/src/sums.rs), and smaller. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <omp.h>

#define APART __attribute__((noinline)) static

enum { N = 5, LARGE = 7001 };

static double u[LARGE], v[LARGE];
static unsigned chance(unsigned k) { return (k * 2654435761u >> 7) % LARGE; }

static void spread(const double *x, double *to, int n) {
    for (int i = 0; i < n; i++) to[i] = x[i % N] * (1 + 0.001 * (i % 17));
}
static double stencil(const double *x) {
    spread(x, u, LARGE);
    double s = 0;
#pragma omp parallel
    for (int t = 0; t < 2; t++) {
#pragma omp for
        for (int i = 2; i < LARGE - 2; i++) v[i] = u[i] + 0.1 * (u[i - 2] - u[i - 1] * u[i + 1] + u[i + 2]) * u[i];
#pragma omp for schedule(static, 7)
        for (int i = 2; i < LARGE - 2; i++) u[i] = v[i] * v[LARGE - 1 - i];
    }
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < LARGE; i++) s += u[i] * u[chance(i)];
    return s / LARGE;
}
/* Every thread reads a small array again and again. */
static double table(const double *x) {
    double weights[40], s = 0;
    for (int i = 0; i < 40; i++) weights[i] = x[i % N] * (i + 1) * 0.1;
#pragma omp parallel for schedule(static, 3) reduction(+ : s)
    for (int i = 0; i < 900; i++)
        for (int k = 0; k < 40; k++) s += sin(weights[k] * (i % 7)) * weights[(k + i) % 40];
    return s / 900;
}
/* With floats, and for the differences without them. */
#define MIXED(name, real)                                                                              \
    struct name##_particle {                                                                           \
        double place[2];                                                                               \
        real mass;                                                                                     \
        int kind;                                                                                      \
    };                                                                                                 \
    static real name##_narrow[LARGE];                                                                  \
    static struct name##_particle name##_particles[600];                                               \
    static double name(const double *x) {                                                              \
        double s = 0;                                                                                  \
        for (int i = 0; i < LARGE; i++) name##_narrow[i] = (real)(x[i % N] * 0.5);                     \
        for (int i = 0; i < 600; i++) {                                                                \
            struct name##_particle *p = &name##_particles[i];                                          \
            p->place[0] = x[i % N], p->place[1] = x[(i + 1) % N] * 0.3;                                \
            p->mass = (real)x[(i + 2) % N], p->kind = i % 3;                                           \
        }                                                                                              \
        _Pragma("omp parallel for reduction(+ : s)") for (int i = 0; i < 2000; i++) {                  \
            struct name##_particle p = name##_particles[chance(i) % 600], q = name##_particles[(i * 7) % 600]; \
            double d = p.place[0] - q.place[1], w = name##_narrow[chance(i)] * name##_narrow[i];       \
            if (p.kind != q.kind) s += d * d * p.mass + w;                                             \
        }                                                                                              \
        return s / 2000;                                                                               \
    }
MIXED(mixed, float)
MIXED(smooth, double)
/* Memory of one thread that functions are given, some of it from the heap. */
APART double norm(const double *a, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i] * a[i];
    return s;
}
APART void scale(double *a, const double *b, int n) {
    for (int i = 0; i < n; i++) a[i] *= b[i % 3];
}
static double own_memory(const double *x) {
    double s = 0, last = 0;
#pragma omp parallel for reduction(+ : s) lastprivate(last)
    for (int i = 0; i < 60; i++) {
        double local[30], *block = malloc(25 * sizeof *block);
        for (int k = 0; k < 30; k++) local[k] = x[(i + k) % N] + 0.01 * k;
        for (int k = 0; k < 25; k++) block[k] = local[k] * x[k % N];
        scale(local, block, 30 - i % 2);
        scale(block, local + 3, 25);
        s += norm(local, 30) + local[4] * norm(block, 25);
        last = block[7] * local[i % 30];
        free(block);
    }
    return s / 60 + last;
}
/* Rows that one thread writes and all read behind the barrier; blocks that move between threads. */
static double matrix[64][64], product[64][64], *handed[8];
static double rows(const double *x) {
    double s = 0;
    for (int i = 0; i < 64 * 64; i++) matrix[i / 64][i % 64] = x[i % N] / (1 + i % 5);
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads();
        for (int t = 0; t < 2; t++) {
            for (int i = me; i < 64; i += all)
                for (int j = 0; j < 64; j++) {
                    double sum = 0;
                    for (int k = 0; k < 64; k += 9) sum += matrix[i][k] * matrix[k][j];
                    product[i][j] = sum;
                }
#pragma omp barrier
            for (int j = me; j < 64; j += all)
                for (int i = 0; i < 64; i++) matrix[i][j] = 0.2 * product[j][i] + x[(i + j) % N];
#pragma omp barrier
        }
        handed[me] = malloc(50 * sizeof(double));
        for (int k = 0; k < 50; k++) handed[me][k] = matrix[me][k] * x[k % N];
#pragma omp barrier
        double own = 0;
        for (int k = 0; k < 50; k++) own += handed[(me + 1) % all][k] * handed[me][(k + 3) % 50];
#pragma omp barrier
        handed[me][0] = own;
#pragma omp critical
        s += own;
    }
    for (int i = 0; i < 64; i++) s += matrix[i][(i * 3) % 64] * product[i][i];
    for (int i = 0; i < 4; i++) s += handed[i] ? handed[i][0] : 0, free(handed[i]), handed[i] = NULL;
    return s / 64;
}

AD_FUNCTIONAL(stencil)
AD_FUNCTIONAL(table)
AD_FUNCTIONAL(mixed)
static void smooth_map(const double *x, double *y) { *y = smooth(x); }
AD_FUNCTIONAL(own_memory)
AD_FUNCTIONAL(rows)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(stencil, N), CHECK_FUNCTIONAL(table, N), CHECK_FUNCTIONAL(own_memory, N), CHECK_FUNCTIONAL(rows, N)};
    for (int threads = 1; threads <= 5; threads += 1 + threads / 2) {
        omp_set_num_threads(threads);
        double x[N] = {0.7, 0.4, 0.9, 0.3, 0.8};
        for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) check_at(&cases[i], x);
        check_case rounded = CHECK_FUNCTIONAL(mixed, N);
        rounded.smooth = smooth_map, rounded.tol_diff = 1e-5, rounded.tol_dot = 1e-5;
        check_at(&rounded, x);
    }
    return check_done();
}
