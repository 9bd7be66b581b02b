// Transform and inverse, as codes/fft.c.
#include "peer.h"

struct fft {
    long n;
    const double *roots;
    template <class T> void transform(double sign, T *z) const {
        for (long i = 1, j = 0; i < n; i++) {
            long bit = n >> 1;
            for (; j & bit; bit >>= 1) j ^= bit;
            j ^= bit;
            if (i >= j) continue;
            std::swap(z[2 * i], z[2 * j]);
            std::swap(z[2 * i + 1], z[2 * j + 1]);
        }
        const double *twiddle = roots;
        for (long half = 1; half < n; half *= 2) {
            for (long start = 0; start < n; start += 2 * half) {
                T *upper = z + 2 * start, *lower = upper + 2 * half;
                for (long k = 0; k < half; k++) {
                    double c = twiddle[2 * k], s = sign * twiddle[2 * k + 1];
                    T re = c * lower[2 * k] - s * lower[2 * k + 1], im = c * lower[2 * k + 1] + s * lower[2 * k];
                    lower[2 * k] = upper[2 * k] - re;
                    lower[2 * k + 1] = upper[2 * k + 1] - im;
                    upper[2 * k] += re;
                    upper[2 * k + 1] += im;
                }
            }
            twiddle += 2 * half;
        }
    }
    template <class T> void operator()(const T *x, T *z) const {
        for (long i = 0; i < 2 * n; i++) z[i] = x[i];
        transform(1.0, z);
        transform(-1.0, z);
        for (long i = 0; i < 2 * n; i++) z[i] *= 1.0 / double(n);
    }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    double n = double(it.sizes[0]);
    return peer_run(fft{it.sizes[0], it.data.data()}, it, 10.0 * n * std::log2(n), arguments);
}
