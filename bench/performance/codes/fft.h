/* The fast Fourier transform and its inverse, one after the other, in place. */
#ifndef FFT_H
#define FFT_H

/* z[n] complex numbers, n a power of two; twiddle: fft_twiddle's. */
void fft_and_inverse(long n, const double *restrict twiddle, double *restrict z);

/* zb: adjoint of what comes out before, of what goes in after. */
void fft_and_inverse_by_hand(long n, const double *restrict twiddle, double *restrict z, double *restrict zb);

/* For each stage of half-length h = 1, 2, 4 ... the h roots exp(-pi i k / h): n - 1 complex numbers. */
void fft_twiddle(long n, double *restrict twiddle);

/* The transform, or with sign -1 the unscaled inverse. */
void fft_transform(long n, const double *restrict twiddle, double sign, double *restrict z);

#endif
