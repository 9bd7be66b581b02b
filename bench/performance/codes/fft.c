/* The functions of fft.h: radix two, decimation in time, roots in the order in which they are used. */
#include "fft.h"

#include <math.h>

void fft_twiddle(long n, double *restrict twiddle) {
    for (long half = 1; half < n; half *= 2)
        for (long k = 0; k < half; k++) {
            double angle = -3.14159265358979323846 * (double)k / (double)half;
            *twiddle++ = cos(angle), *twiddle++ = sin(angle);
        }
}

static void permute(long n, double *restrict z) {
    for (long i = 1, j = 0; i < n; i++) {
        long bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        double re = z[2 * i], im = z[2 * i + 1];
        z[2 * i] = z[2 * j], z[2 * i + 1] = z[2 * j + 1];
        z[2 * j] = re, z[2 * j + 1] = im;
    }
}

void fft_transform(long n, const double *restrict twiddle, double sign, double *restrict z) {
    permute(n, z);
    for (long half = 1; half < n; half *= 2) {
        for (long start = 0; start < n; start += 2 * half) {
            double *upper = z + 2 * start, *lower = upper + 2 * half;
            for (long k = 0; k < half; k++) {
                double c = twiddle[2 * k], s = sign * twiddle[2 * k + 1];
                double re = c * lower[2 * k] - s * lower[2 * k + 1], im = c * lower[2 * k + 1] + s * lower[2 * k];
                lower[2 * k] = upper[2 * k] - re, lower[2 * k + 1] = upper[2 * k + 1] - im;
                upper[2 * k] += re, upper[2 * k + 1] += im;
            }
        }
        twiddle += 2 * half;
    }
}

void fft_and_inverse(long n, const double *restrict twiddle, double *restrict z) {
    fft_transform(n, twiddle, 1.0, z);
    fft_transform(n, twiddle, -1.0, z);
    for (long i = 0; i < 2 * n; i++) z[i] *= 1.0 / (double)n;
}
