/* Teams that threads of teams fork: two and three levels, of two and three threads. The tapes of inner teams go by the numbers of
 * the threads around them: they were mixed up with those of the outer team before. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <omp.h>
#include <stdlib.h>

enum { N = 24 };

static double single_within(const double *x) {
    double total = 0;
#pragma omp parallel for num_threads(2) reduction(+ : total)
    for (int k = 0; k < 4; k++) {
        double a = 0, sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) shared(a)
        {
#pragma omp single
            a = x[k] * x[k + 1];
#pragma omp for
            for (int i = 0; i < N; i++) sum += a * x[i] * x[i] + x[k];
        }
        total += sum * x[k];
    }
    return total;
}
AD_FUNCTIONAL(single_within)

static void innermost(const double *x, double *y, int count, double weight) {
#pragma omp parallel num_threads(3)
    {
        double *own = malloc(count * sizeof *own);
#pragma omp for schedule(monotonic : dynamic, 2)
        for (int i = 0; i < count; i++) {
            own[i] = x[i] * weight;
            y[i] += own[i] * own[i] * x[(i + 1) % N];
        }
        free(own);
#pragma omp critical
        y[N] = y[N] * 0.5 + x[0] * weight;
    }
}

static void three_levels(const double *x, double *y) {
    double parts[4][N + 1];
    for (int i = 0; i <= N; i++) y[i] = 0.1 * x[i % N];
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i <= N; i++) parts[k][i] = 0;
#pragma omp parallel sections num_threads(2)
            {
#pragma omp section
                innermost(x, parts[k], N / 2, x[k]);
#pragma omp section
                for (int i = N / 2; i < N; i++) parts[k][i] = x[i] * x[k];
            }
        }
#pragma omp single
        for (int k = 0; k < 4; k++)
            for (int i = 0; i <= N; i++) y[i] += parts[k][i] * x[i % N];
#pragma omp for nowait
        for (int i = 0; i < N; i++) y[i] *= x[3];
    }
}
AD_MAP(three_levels)

/* Inner teams of both threads add to what all share. */
static double shared_by_all(const double *x) {
    double s = 0, a[8] = {0}, parts[2] = {0, 0};
#pragma omp parallel num_threads(2)
    {
        const int me = omp_get_thread_num();
        const double own = x[me] * x[5];
        double part = 0;
#pragma omp parallel num_threads(2)
        {
            const double p = own * x[2 + omp_get_thread_num()];
#pragma omp atomic
            s += p * p;
            a[me * 4 + omp_get_thread_num()] = p * x[7];
        }
#pragma omp barrier
#pragma omp parallel for num_threads(2) reduction(+ : part)
        for (int i = 0; i < 6; i++) part += a[(1 - me) * 4 + i % 2] * x[i];
        parts[me] = part;
    }
    return s * parts[0] + parts[1];
}
AD_FUNCTIONAL(shared_by_all)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(single_within, N), CHECK_MAP(three_levels, N, N + 1), CHECK_FUNCTIONAL(shared_by_all, 8)};
    for (int levels = 1; levels <= 3; levels++) {
        omp_set_max_active_levels(levels);
        for (int k = 0; k < 3; k++)
            for (int again = 0; again < 3; again++) check_random_points(&cases[k], 1, 0.3, 1.2);
    }
    return check_done();
}
