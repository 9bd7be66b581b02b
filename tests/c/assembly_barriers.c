/* Inline assembly that derivatives need not fear: barriers without instructions, in all forms that benchmarks use, and the
 * single instructions for which libraries write it.
 * For x86-64. */
// ad-i386: none, needs SSE2
#include "requests.h"

#include <emmintrin.h>

enum { N = 4 };

static double barriers(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        double y = x[i] * x[i];
        __asm__("" : "+x"(y));
        __asm__ volatile("" : "+g,x"(y));
        __asm__ volatile("" : "+r,m"(y) : : "memory");
        sum += y * x[0];
        __asm__ volatile("" : : "r,m"(sum) : "memory");
        __asm__ volatile("" : : "m"(y));
        __asm__ volatile("" : : : "memory");
    }
    return sum;
}
AD_FUNCTIONAL(barriers)
static void barriers_jacobian(const double *x, double *J) {
    J[0] = x[1] * x[1] + x[2] * x[2] + x[3] * x[3] + 3 * x[0] * x[0];
    for (int i = 1; i < N; i++) J[i] = 2 * x[i] * x[0];
}

static __m128d larger(__m128d a, __m128d b) {
    __asm__("maxpd %1, %0" : "+x"(b) : "x"(a));
    return b;
}
static __m128d smaller(__m128d a, __m128d b) {
    __asm__("minpd %1, %0" : "+x"(b) : "x"(a));
    return b;
}
static double extremes(const double *x) {
    __m128d a = _mm_loadu_pd(x), b = _mm_loadu_pd(x + 2), most = larger(a, b), least = smaller(a, b);
    double of[4];
    _mm_storeu_pd(of, most), _mm_storeu_pd(of + 2, least);
    return of[0] * of[0] + 3 * of[1] - of[2] * of[3];
}
AD_FUNCTIONAL(extremes)
static void extremes_jacobian(const double *x, double *J) {
    int first = x[0] > x[2] ? 0 : 2, second = x[1] > x[3] ? 1 : 3;
    J[first] = 2 * x[first], J[second] = 3;
    J[2 - first] = -x[4 - second], J[4 - second] = -x[2 - first];
}

/* Where no operand is the larger, the instruction gives its second source: that one has the derivative. */
static void check_ties(void) {
    double x[N] = {2.0, 3.0, 2.0, 3.0}, xb[N] = {0.0};
    __ad_adjoint_void((void *)extremes, x, xb);
    check_close("a tie of maxima and minima", xb[0], 4.0 - 3.0, 1e-15);
    check_close("another", xb[1], 3.0 - 2.0, 1e-15);
    check_true("nothing goes to the others", xb[2] == 0.0 && xb[3] == 0.0);
}

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(barriers, N), CHECK_FUNCTIONAL(extremes, N)};
    c[0].jacobian = barriers_jacobian;
    c[1].jacobian = extremes_jacobian;
    check_random_points(&c[0], 2, 0.3, 1.3);
    const double x[2][N] = {{1.5, 0.7, 1.1, 1.2}, {0.4, 1.9, 1.0, 0.6}};
    for (int k = 0; k < 2; k++) check_at(&c[1], x[k]);
    check_ties();
    return check_done();
}
