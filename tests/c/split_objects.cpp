// Split mode in C++: templates, scopes with destructors, exceptions between and within sweeps.
#include "requests.h"
#include <vector>

template <typename T> struct tape_and { void *tape; T result; };

template <typename T> static T polynomial(const T *x, int n) {
    T sum = 0;
    for (int i = 0; i < n; i++) sum = sum * x[i] + x[i] * x[i];
    return sum;
}

static double careful(const double *x, int n) {
    double product = 1.0;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0.0) throw i;
        product *= x[i];
    }
    return product * product;
}

__attribute__((noinline)) static void *attempt(const double *x, double *xb) {
    return __ad_augmented<void *>(careful, x, xb, 3);
}

int main() {
    std::vector<double> x{0.5, 1.5, 2.0}, xb(3), want(3);
    auto forward = __ad_augmented<tape_and<double>>(polynomial<double>, x.data(), xb.data(), 3);
    check_equal_bits("result", forward.result, polynomial(x.data(), 3));
    {
        std::vector<float> y{1.0f, 2.0f}, yb(2);
        void *tape = __ad_augmented<void *>(polynomial<float>, y.data(), yb.data(), 2);
        __ad_reverse<void>(polynomial<float>, y.data(), yb.data(), 2, 1.0f, tape);
        check_equal_bits("float [0]", yb[0], 4.0), check_equal_bits("float [1]", yb[1], 5.0);
    }
    __ad_reverse<void>(polynomial<double>, x.data(), xb.data(), 3, 1.0, forward.tape);
    __ad_adjoint<void>(polynomial<double>, x.data(), want.data(), 3);
    for (int i = 0; i < 3; i++) check_close("split against joined", xb[i], want[i], 1e-15);

    // An exception leaves the forward sweep; others before and after are not disturbed.
    std::vector<double> bad{1.0, -1.0, 2.0}, badb(3), cb(3);
    void *before = __ad_augmented<void *>(careful, x.data(), cb.data(), 3);
    int caught = 0;
    for (int i = 0; i < 100; i++) {
        try {
            void *never = attempt(bad.data(), badb.data());
            check_true("not reached", never == nullptr);
        } catch (int i) {
            caught += i;
        }
        std::vector<double> db(3);
        void *tape = __ad_augmented<void *>(careful, x.data(), db.data(), 3);
        __ad_reverse<void>(careful, x.data(), db.data(), 3, 1.0, tape);
        check_close("after an exception", db[0], 2.0 * 0.5 * 9.0, 1e-14);
    }
    check_true("each was caught", caught == 100);
    __ad_reverse<void>(careful, x.data(), cb.data(), 3, 1.0, before);
    check_close("from before the exceptions", cb[1], 2.0 * 1.5 * 1.0, 1e-14);
    return check_done();
}
