// Loops whose accesses check their bounds, in a count that an exception cuts short: `i <= n - 1` for an unsigned n = 0 asks for
// 2^64 iterations, and the first access behind the end throws. The reverse sweep must not ask for the memory of all of them.
#include "requests.h"

#include <stdexcept>
#include <vector>

extern void __ad_adjoint_recurrence(void *, ...);
extern void __ad_tangent_recurrence(void *, ...);

namespace {
enum { N = 8 };
const double VALUES[N] = {.3, .5, .7, .9, 1.1, .2, .4, .6};

void recurrence(const std::vector<double> *v, double *y, unsigned long n) {
    double a = *y;
    for (unsigned long i = 0; i <= n - 1; i++) a = std::sin(a) * v->at(i) + a * a * 0.3;
    *y = a;
}

double at(std::vector<double> v, double y, unsigned long n) {
    recurrence(&v, &y, n);
    return y;
}

/* False if the derivative left by an exception. */
bool gradient(unsigned long n, std::vector<double> *vb, double *yb) {
    std::vector<double> v(VALUES, VALUES + N);
    double y = 0.4;
    try {
        __ad_adjoint_recurrence((void *)recurrence, &v, vb, &y, yb, ad_const, n);
    } catch (const std::out_of_range &) {
        return false;
    }
    check_within("primal result", y, at(v, 0.4, n), 1e-15);
    return true;
}

bool tangent(unsigned long n, std::vector<double> *vd, double *yd) {
    std::vector<double> v(VALUES, VALUES + N);
    double y = 0.4;
    try {
        __ad_tangent_recurrence((void *)recurrence, &v, vd, &y, yd, ad_const, n);
    } catch (const std::out_of_range &) {
        return false;
    }
    return true;
}

void compare(unsigned long n) {
    const std::vector<double> v(VALUES, VALUES + N);
    std::vector<double> vb(N), vd(N);
    double yb = 1.0, yd = 0.7, product = 0.0;
    check_true("gradient", gradient(n, &vb, &yb));
    for (int i = 0; i < N; i++) {
        auto up = v, down = v;
        up[i] += 1e-5, down[i] -= 1e-5;
        check_within("gradient against differences", vb[i], (at(up, 0.4, n) - at(down, 0.4, n)) / 2e-5, 1e-9);
        vd[i] = 0.1 * (i + 1);
        product += vb[i] * vd[i];
    }
    check_within("adjoint of the first value", yb, (at(v, 0.4 + 1e-5, n) - at(v, 0.4 - 1e-5, n)) / 2e-5, 1e-9);
    check_true("tangent", tangent(n, &vd, &yd));
    check_within("tangent against gradient", yd, product + 0.7 * yb, 1e-13);
}
} // namespace

int main() {
    std::vector<double> dots(N), bars(N);
    double dot = 1.0, bar = 1.0;
    for (unsigned long n : {1ul, 5ul, 8ul}) {
        compare(n);
        // Too long by one iteration, by many, by all there are: each throws, and the next derivative is right again.
        for (unsigned long wrong : {9ul, 1000000ul, 0ul}) {
            check_true("gradient throws", !gradient(wrong, &bars, &bar));
            check_true("tangent throws", !tangent(wrong, &dots, &dot));
        }
    }
    return check_done();
}
