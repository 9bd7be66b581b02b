/* Tasks that may go on in another thread (`untied`) within one another: each goes on with its own function. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"

enum { N = 6 };

static double untied(const double *x) {
    double s = 0, r[N];
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task untied shared(s, r)
    {
        for (int i = 0; i < N; i++) {
#pragma omp task untied shared(r) firstprivate(i)
            {
                double inner = 0;
#pragma omp task untied shared(inner)
                inner = x[i] * x[(i + 1) % N];
#pragma omp taskwait
                r[i] = inner * inner;
            }
        }
#pragma omp taskwait
        for (int i = 0; i < N; i++) s += r[i] * x[i];
    }
    return s;
}
AD_FUNCTIONAL(untied)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(untied, N);
    check_random_points(&c, 3, 0.3, 0.9);
    return check_done();
}
