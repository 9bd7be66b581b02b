/* Tasks of OpenMP with objects that are copied and destroyed, calls through std::function, and reductions over tasks. */
// ad-flags: -fopenmp
// ad-link: -fopenmp
// ad-i386: none, there is no OpenMP runtime of clang's for 32 bits
#include "requests.h"
#include <complex>
#include <functional>
#include <vector>

enum { N = 8 };

static double objects(const double *x) {
    std::vector<double> v(x, x + N);
    std::complex<double> z(x[0], x[1]);
    double r = 0, last = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task firstprivate(v, z) shared(r)
        {
            v[0] *= 2;
            z *= z;
            for (double t : v) r += t * t;
            r += z.real() * z.imag();
        }
#pragma omp taskwait
#pragma omp taskloop firstprivate(v) lastprivate(last)
        for (int i = 0; i < N; i++) {
            v[i] += 1;
            last = v[i] * x[i];
        }
        std::function<void()> scale = [&] { r *= v[3]; };
#pragma omp task
        scale();
    }
    return r * last;
}
AD_FUNCTIONAL(objects)

static double reductions(const double *x) {
    double sum = 0, product = 1, parts[2] = {0, 0}, of_all = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp taskloop reduction(+ : sum)
            for (int i = 0; i < N; i++) sum += x[i] * x[i];
#pragma omp taskgroup task_reduction(* : product) task_reduction(+ : parts[ : 2])
            for (int i = 0; i < N; i++) {
#pragma omp task in_reduction(* : product) in_reduction(+ : parts[ : 2])
                {
                    product *= 1 + 0.1 * x[i];
                    parts[i % 2] += x[i] * sum;
                }
            }
        }
    }
#pragma omp parallel num_threads(2) reduction(task, + : of_all)
    {
#pragma omp for
        for (int i = 0; i < N; i++)
#pragma omp task in_reduction(+ : of_all)
            of_all += x[i] * parts[i % 2];
    }
    return of_all * product + parts[0] * parts[1];
}
AD_FUNCTIONAL(reductions)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(objects, N), CHECK_FUNCTIONAL(reductions, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 0.9);
    return check_done();
}
