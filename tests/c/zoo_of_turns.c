/* What a thread reads in critical sections while another one counts on: which value it was is known only from the run. The derivative by a factor is the
 * square of that value, whatever the order was. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"

enum { N = 100, ROUNDS = 5 };

static double sum_of_counts(const double *x, double *read, int n) {
    double count = 1, s = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        for (int j = 0; j < 20 * n; j++)
#pragma omp critical
            count += 1.0;
#pragma omp section
        for (int k = 0; k < n; k++)
#pragma omp critical
        {
            read[k] = count;
            s += count * count * x[k];
        }
    }
    return s;
}

int main(void) {
    for (int round = 0; round < ROUNDS; round++) {
        double x[N], xb[N] = {0}, read[N] = {0}, read_shadow[N] = {0};
        for (int i = 0; i < N; i++) x[i] = 1 + 0.125 * i;
        __ad_adjoint_void((void *)sum_of_counts, x, xb, read, read_shadow, N);
        for (int i = 0; i < N; i++) {
            check_true("it was counted", read[i] >= 1);
            check_close("square of what was read", xb[i], read[i] * read[i], 1e-15);
        }
    }
    return check_done();
}
