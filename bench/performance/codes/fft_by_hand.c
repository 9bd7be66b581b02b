/* The transpose of the transform is the unscaled inverse, and the other way round. */
#include "fft.h"

void fft_and_inverse_by_hand(long n, const double *restrict twiddle, double *restrict z, double *restrict zb) {
    fft_and_inverse(n, twiddle, z);
    fft_and_inverse(n, twiddle, zb);
}
