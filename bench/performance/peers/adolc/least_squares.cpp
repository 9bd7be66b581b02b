// Linear least squares, as codes/least_squares.c.
#include "peer.h"

struct least_squares {
    long m, n;
    const double *a, *b;
    template <class T> void operator()(const T *x, T *y) const {
        std::vector<T> residual(m);
        T sum = 0.0;
        for (long i = 0; i < m; i++) residual[i] = -b[i];
        for (long j = 0; j < n; j++)
            for (long i = 0; i < m; i++) residual[i] += a[j * m + i] * x[j];
        for (long i = 0; i < m; i++) sum += residual[i] * residual[i];
        *y = 0.5 * sum;
    }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    long m = it.sizes[0], n = it.sizes[1];
    return peer_run(least_squares{m, n, it.data.data(), it.data.data() + m * n}, it, 2.0 * double(m * n), arguments);
}
