// A step of descent over a matrix, as codes/matrix_descent.c.
#include "peer.h"

struct matrix_descent {
    long n;
    const double *x, *b;
    template <class T> T dot(const T *a) const {
        T sum[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        long i = 0;
        for (; i + 8 <= n; i += 8)
            for (int k = 0; k < 8; k++) sum[k] += a[i + k] * x[i + k];
        for (; i < n; i++) sum[0] += a[i] * x[i];
        return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    }
    template <class T> void operator()(const T *w, T *y) const {
        T sum = 0.0;
        for (long i = 0; i < n; i++) {
            T residual = dot(w + i * n) - b[i];
            sum += residual * residual;
        }
        *y = 0.5 * sum;
    }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    long n = it.sizes[0];
    return peer_run(matrix_descent{n, it.data.data(), it.data.data() + n}, it, 2.0 * double(n * n), arguments);
}
