// The determinant by recursion, as codes/determinant.c.
#include "peer.h"

struct determinant {
    long n;
    template <class T> T minor(const T *a, long row, unsigned used) const {
        if (row == n) return T(1.0);
        T sum = 0.0;
        double sign = 1.0;
        for (long c = 0; c < n; c++) {
            if (used >> c & 1u) continue;
            sum += sign * a[row * n + c] * minor(a, row + 1, used | 1u << c);
            sign = -sign;
        }
        return sum;
    }
    template <class T> void operator()(const T *a, T *y) const { *y = minor(a, 0, 0u); }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    return peer_run(determinant{it.sizes[0]}, it, 1.7 * 3.0 * std::tgamma(double(it.sizes[0]) + 1.0), arguments);
}
