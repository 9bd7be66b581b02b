// Temporaries from every operator new: plain, array, nothrow, aligned; freed by the delete that belongs to it.
// ad-sanitizers: address
#include "requests.h"
#include <new>

enum { N = 5 };

struct pair_of {
    double first, second;
};
struct alignas(64) line_of {
    double values[8];
};

static double plain(const double *x) {
    pair_of *p = new pair_of;
    double *t = new double[N];
    p->first = x[0] * x[1];
    p->second = std::sin(x[2]);
    for (int i = 0; i < N; i++) t[i] = x[i] * p->first + p->second;
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += t[i] * t[(i + 1) % N];
    delete p;
    delete[] t;
    return sum;
}

static double nothrow(const double *x) {
    pair_of *p = new (std::nothrow) pair_of;
    double *t = new (std::nothrow) double[N];
    if (!p || !t) return 0.0;
    p->first = x[0] * x[4];
    p->second = x[3];
    for (int i = 0; i < N; i++) t[i] = x[i] / (1.0 + p->first * p->first);
    double sum = p->second;
    for (int i = 0; i < N; i++) sum += t[i] * x[i];
    operator delete(p, std::nothrow);
    operator delete[](t, std::nothrow);
    return sum;
}

static double aligned(const double *x) {
    line_of *one = new line_of, *many = new (std::nothrow) line_of[2];
    for (int i = 0; i < 8; i++) {
        one->values[i] = x[i % N] * x[0];
        many[0].values[i] = std::cos(x[i % N]);
        many[1].values[i] = one->values[i] * many[0].values[i];
    }
    double sum = 0.0;
    for (int i = 0; i < 8; i++) sum += many[1].values[i] * one->values[7 - i];
    delete one;
    delete[] many;
    return sum;
}

// Made in a loop, freed in another order.
static double in_loop(const double *x) {
    pair_of *all[N];
    for (int i = 0; i < N; i++) all[i] = new pair_of{x[i], x[i] * x[(i + 1) % N]};
    double sum = 0.0;
    for (int i = N - 1; i >= 0; i--) {
        sum += all[i]->first * all[i]->second;
        delete all[i];
    }
    return sum;
}

AD_FUNCTIONAL(plain)
AD_FUNCTIONAL(nothrow)
AD_FUNCTIONAL(aligned)
AD_FUNCTIONAL(in_loop)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(plain, N), CHECK_FUNCTIONAL(nothrow, N), CHECK_FUNCTIONAL(aligned, N),
                          CHECK_FUNCTIONAL(in_loop, N)};
    for (check_case &c : cases) check_random_points(&c, 4, 0.3, 1.3);
    return check_done();
}
