/* Doubles that are spread, swapped and joined as vectors of smaller integers. */
// ad-i386: sse2, has vectors of doubles
#include "requests.h"
#include <emmintrin.h>

/* The higher one twice, and both swapped. */
static double spread(const double *x) {
    __m128i bits = _mm_castpd_si128(_mm_mul_pd(_mm_loadu_pd(x), _mm_loadu_pd(x + 1)));
    double high[2], swapped[2];
    _mm_storeu_pd(high, _mm_castsi128_pd(_mm_shuffle_epi32(bits, 0xee)));
    _mm_storeu_pd(swapped, _mm_castsi128_pd(_mm_shuffle_epi32(bits, 0x4e)));
    return high[0] * high[1] + 2.0 * swapped[0] * x[0] + sin(swapped[1]);
}
AD_FUNCTIONAL(spread)
static void spread_jacobian(const double *x, double *J) {
    double high = x[1] * x[2], low = x[0] * x[1];
    J[0] = 2.0 * high + cos(low) * x[1];
    J[1] = 2.0 * high * x[2] + 2.0 * x[2] * x[0] + cos(low) * x[0];
    J[2] = 2.0 * high * x[1] + 2.0 * x[1] * x[0];
}

/* From memory to memory, in halves of 16 bits. */
typedef short halves __attribute__((vector_size(16), may_alias, aligned(8)));
__attribute__((noinline)) static double joined(const double *y, double *z) {
    halves a = *(const halves *)y, b = *(const halves *)(y + 2);
    *(halves *)z = __builtin_shufflevector(a, b, 4, 5, 6, 7, 8, 9, 10, 11);
    return y[3] * y[0];
}
static double in_memory(const double *x) {
    double y[4] = {x[0] * x[1], x[1], x[2] * x[2], x[0]}, z[2];
    double sum = joined(y, z);
    return z[0] * z[1] + sum;
}
AD_FUNCTIONAL(in_memory)
static void in_memory_jacobian(const double *x, double *J) {
    J[0] = 2.0 * x[0] * x[1];
    J[1] = x[2] * x[2] + x[0] * x[0];
    J[2] = 2.0 * x[1] * x[2];
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(spread, 3), CHECK_FUNCTIONAL(in_memory, 3)};
    cases[0].jacobian = spread_jacobian, cases[1].jacobian = in_memory_jacobian;
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 4, 0.3, 1.1);
    return check_done();
}
