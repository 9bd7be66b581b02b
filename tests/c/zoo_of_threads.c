/* Parallel regions of OpenMP, with one, two and four threads: work sharing of all schedules, reductions, critical sections whose order counts,
 * atomic sums, private copies, barriers, single and master, sections, orphaned work sharing, regions in called functions. Dynamic schedules are monotonic:
 * where threads steal iterations from each other, libomp 22 itself fails now and then with more threads than processors (kmp_dispatch.cpp:1618). */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <omp.h>

#define APART __attribute__((noinline)) static

enum { N = 12 };

static double stencil(const double *x) {
    double u[N], v[N] = {0}, s = 0;
    for (int i = 0; i < N; i++) u[i] = x[i];
#pragma omp parallel
    for (int t = 0; t < 4; t++) {
#pragma omp for
        for (int i = 1; i < N - 1; i++) v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i];
#pragma omp single
        u[0] = v[1] * v[1];
#pragma omp for schedule(static, 2)
        for (int i = 1; i < N - 1; i++) u[i] = v[i];
    }
    for (int i = 0; i < N; i++) s += u[i] * u[i];
    return s;
}
/* Which thread comes first changes what is multiplied, not the product. */
static double in_order(const double *x) {
    double product = 1, sum = 0, rest = 0;
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++) {
        double y = sin(x[i]) * x[0];
#pragma omp critical
        {
            sum += y / (1 + y * y);
            product *= 1 + 0.5 * y * y;
        }
#pragma omp critical(other)
        rest += 0.5 * y;
    }
    return product + sum + rest;
}
static double atomics(const double *x) {
    double s = 0, bins[3] = {0, 0, 0};
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        double y = exp(x[i]) * x[(i + 1) % N];
#pragma omp atomic
        bins[i % 3] += y;
#pragma omp atomic
        s -= y * x[2];
    }
    return s * bins[0] + bins[1] * bins[2];
}
static double reductions(const double *x) {
    double most = -1e30, least = 1e30, product = 1, parts[4] = {0};
#pragma omp parallel for reduction(max : most) reduction(min : least) reduction(* : product) reduction(+ : parts)
    for (int i = 0; i < N; i++) {
        double y = x[i] * x[i] + 0.01 * i;
        if (y > most) most = y;
        if (y < least) least = y;
        product *= 1 + 0.1 * y;
        parts[i % 4] += y * x[0];
    }
    return most * product + least + parts[0] * parts[1] + parts[2] * parts[3];
}
static double copies(const double *x) {
    double a = x[0] * x[1], last = 0, s = 0;
    float f = (float)x[2];
#pragma omp parallel firstprivate(a, f)
    {
        a *= 2;
#pragma omp for lastprivate(last) reduction(+ : s)
        for (int i = 0; i < N; i++) {
            last = a * x[i];
            s += last * last + 0 * f;
        }
    }
    return s + last;
}
static double schedules(const double *x) {
    double y[N], z[N], s = 0;
#pragma omp parallel
    {
#pragma omp for schedule(monotonic : dynamic)
        for (int i = 0; i < N; i++) y[i] = x[i] * sin(x[0]);
#pragma omp for schedule(guided, 2)
        for (long i = N - 1; i >= 0; i--) z[i] = y[i] * y[(i + 3) % N];
#pragma omp for schedule(monotonic : dynamic, 3) reduction(+ : s) collapse(2)
        for (int i = 0; i < 3; i++)
            for (unsigned j = 0; j < N / 3; j++) s += z[3 * j + i] * x[i];
#pragma omp for schedule(static) nowait
        for (unsigned i = 0; i < N; i += 2) y[i] *= y[i];
    }
    for (int i = 0; i < N; i++) s += y[i];
    return s;
}
static double sections(const double *x) {
    double a = 0, b = 0, c = 0;
#pragma omp parallel sections
    {
#pragma omp section
        a = x[0] * x[1];
#pragma omp section
        b = sin(x[2]) * x[0];
#pragma omp section
        c = exp(x[3]);
    }
    return a * b + c * a;
}
APART void row(const double *x, double *y, int i) { y[i] = x[i] * sin(x[0] + i); }
APART void halves(const double *x, double *y) {
#pragma omp for
    for (int i = 0; i < N; i++) y[i] = x[i] * x[i] * x[0];
#pragma omp for
    for (int i = 0; i < N; i++) y[N + i] = y[(i + 5) % N] * x[i];
}
APART double total(const double *y, int n) {
    double s = 0;
#pragma omp parallel for reduction(+ : s) if (n > 10)
    for (int i = 0; i < n; i++) s += y[i] * y[n - 1 - i];
    return s;
}
static double called(const double *x) {
    double y[2 * N], z[N];
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < N; i++) row(x, z, i);
#pragma omp parallel
    halves(x, y);
    return total(y, 2 * N) + total(z, N) + total(x, 5);
}
static double by_number(const double *x) {
    double y[16] = {0}, s = 0;
#pragma omp parallel
    {
        int own = omp_get_thread_num(), all = omp_get_num_threads();
        double part = 0;
        for (int i = own; i < N; i += all) part += x[i] * x[i];
        y[own] = part * x[0];
#pragma omp barrier
#pragma omp master
        for (int k = 0; k < all; k++) s += y[k];
    }
    return s;
}
/* Blocks of the heap, of each thread and of all. */
static double blocks(const double *x) {
    double *all = malloc(N * sizeof *all), s = 0;
#pragma omp parallel
    {
        double *own = malloc(3 * sizeof *own);
#pragma omp for
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < 3; k++) own[k] = x[(i + k) % N] * x[i];
            all[i] = own[0] * own[1] + own[2];
        }
        free(own);
    }
    for (int i = 0; i < N; i++) s += all[i] * all[i];
    free(all);
    return s;
}

AD_FUNCTIONAL(stencil)
AD_FUNCTIONAL(in_order)
AD_FUNCTIONAL(atomics)
AD_FUNCTIONAL(reductions)
AD_FUNCTIONAL(copies)
AD_FUNCTIONAL(schedules)
AD_FUNCTIONAL(sections)
AD_FUNCTIONAL(called)
AD_FUNCTIONAL(by_number)
AD_FUNCTIONAL(blocks)

int main(void) {
    struct check_case all[] = {CHECK_FUNCTIONAL(stencil, N),  CHECK_FUNCTIONAL(in_order, N), CHECK_FUNCTIONAL(atomics, N),   CHECK_FUNCTIONAL(reductions, N),
                               CHECK_FUNCTIONAL(copies, N),   CHECK_FUNCTIONAL(schedules, N), CHECK_FUNCTIONAL(sections, N), CHECK_FUNCTIONAL(called, N),
                               CHECK_FUNCTIONAL(by_number, N), CHECK_FUNCTIONAL(blocks, N)};
    for (int threads = 1; threads <= 4; threads *= 2) {
        omp_set_num_threads(threads);
        for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) check_random_points(&all[i], 2, 0.2, 0.6);
    }
    return check_done();
}
