/* Intrinsics of immintrin.h: plain vector operations, and those of the processor that other operations say as well.
 * ad-flags: -mavx2 -mfma */
#include <immintrin.h>
#include "requests.h"

typedef __m256d four;
typedef __m256 eight;

static double sum4(four v) {
    double parts[4];
    _mm256_storeu_pd(parts, v);
    return parts[0] + 2 * parts[1] + 3 * parts[2] + 4 * parts[3];
}
static double sum8(eight v) {
    float parts[8];
    _mm256_storeu_ps(parts, v);
    double sum = 0;
    for (int i = 0; i < 8; i++) sum += parts[i] * (i + 1);
    return sum;
}
static four load(const double *x) { return _mm256_loadu_pd(x); }
static eight narrow(const double *x) {
    return _mm256_setr_m128(_mm256_cvtpd_ps(load(x)), _mm256_cvtpd_ps(load(x + 4)));
}

/* Arithmetic, moves. */
static double plain(const double *x) {
    four a = load(x), b = load(x + 4);
    four c = _mm256_add_pd(_mm256_mul_pd(a, b), _mm256_div_pd(a, _mm256_set1_pd(2.0)));
    c = _mm256_fmadd_pd(c, a, _mm256_sqrt_pd(b));
    c = _mm256_sub_pd(_mm256_unpacklo_pd(c, a), _mm256_shuffle_pd(b, c, 5));
    c = _mm256_blend_pd(c, _mm256_permute2f128_pd(a, c, 0x21), 6);
    __m128d low = _mm_add_pd(_mm256_castpd256_pd128(c), _mm256_extractf128_pd(c, 1));
    return sum4(c) * _mm_cvtsd_f64(low) + _mm_cvtsd_f64(_mm_unpackhi_pd(low, low));
}
/* Minima and maxima: of equal operands the second. */
static double extremes(const double *x) {
    four a = load(x), b = load(x + 4);
    __m128d low = _mm_max_sd(_mm256_castpd256_pd128(a), _mm256_castpd256_pd128(b));
    double tie = sum4(_mm256_min_pd(a, a)) + _mm_cvtsd_f64(low) * x[6];
    return tie + sum4(_mm256_mul_pd(_mm256_min_pd(a, b), _mm256_max_pd(a, _mm256_set1_pd(0.5)))) +
           sum8(_mm256_max_ps(narrow(x), _mm256_set1_ps(0.6f)));
}
static double neighbours(const double *x) {
    four a = load(x), b = load(x + 4);
    eight f = narrow(x);
    four h = _mm256_mul_pd(_mm256_hadd_pd(a, b), _mm256_hsub_pd(b, a));
    h = _mm256_add_pd(h, _mm256_mul_pd(_mm256_addsub_pd(a, b), _mm256_fmaddsub_pd(a, b, a)));
    eight g = _mm256_mul_ps(_mm256_hadd_ps(f, f), _mm256_addsub_ps(f, _mm256_hsub_ps(f, f)));
    g = _mm256_add_ps(g, _mm256_dp_ps(f, f, 0xd5));
    __m128d d = _mm_dp_pd(_mm256_castpd256_pd128(a), _mm256_castpd256_pd128(b), 0x31);
    return sum4(h) + sum8(g) + _mm_cvtsd_f64(d) * x[1];
}
/* By masks from comparisons, and by rounding. */
static double choices(const double *x) {
    four a = load(x), b = load(x + 4);
    four less = _mm256_cmp_pd(a, b, _CMP_LT_OQ);
    four c = _mm256_blendv_pd(a, _mm256_mul_pd(a, b), less);
    c = _mm256_add_pd(c, _mm256_and_pd(less, b));
    c = _mm256_add_pd(c, _mm256_or_pd(_mm256_and_pd(less, a), _mm256_andnot_pd(less, b)));
    four absolute = _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_sub_pd(a, b));
    c = _mm256_mul_pd(c, _mm256_xor_pd(absolute, _mm256_set1_pd(-0.0)));
    c = _mm256_add_pd(c, _mm256_mul_pd(a, _mm256_floor_pd(_mm256_mul_pd(b, _mm256_set1_pd(5.0)))));
    __m128d low = _mm256_castpd256_pd128(a), half = _mm_round_sd(low, _mm256_castpd256_pd128(b), _MM_FROUND_TO_NEAREST_INT);
    if (_mm_comilt_sd(low, _mm256_castpd256_pd128(b))) c = _mm256_add_pd(c, a);
    int signs = _mm256_movemask_pd(_mm256_sub_pd(a, b)), whole = _mm_cvttsd_si32(_mm_mul_sd(low, _mm_set_sd(7.0)));
    __m128d picked = _mm_blendv_pd(low, _mm256_castpd256_pd128(b), _mm_cmple_sd(low, _mm256_castpd256_pd128(b)));
    return sum4(c) + sum4(_mm256_setr_m128d(half, low)) * (signs + whole) + _mm_cvtsd_f64(picked);
}
/* Masked and gathered accesses, elements by number. */
static void accesses(const double *x, double *y) {
    four a = load(x);
    __m256i mask = _mm256_castpd_si256(_mm256_cmp_pd(a, _mm256_set1_pd(0.6), _CMP_GT_OQ));
    four masked = _mm256_maskload_pd(x + 2, mask);
    four gathered = _mm256_i32gather_pd(x, _mm_setr_epi32(7, 0, 3, 3), 8);
    eight mixed = _mm256_permutevar8x32_ps(narrow(x), _mm256_setr_epi32(3, 2, 7, 7, 0, 1, 6, 5));
    four swapped = _mm256_permutevar_pd(a, _mm256_setr_epi64x(2, 0, 0, 2));
    for (int i = 0; i < 8; i++) y[i] = x[i];
    _mm256_maskstore_pd(y + 3, mask, _mm256_mul_pd(_mm256_mul_pd(masked, gathered), swapped));
    y[0] += sum8(mixed) * y[4];
}
static void loop(const double *x, double *y) {
    four state = load(x);
    for (int i = 0; i < 5; i++) {
        state = _mm256_fmadd_pd(state, load(x + i % 4), _mm256_min_pd(state, load(x + 4)));
        if (_mm256_movemask_pd(_mm256_cmp_pd(state, _mm256_set1_pd(1.5), _CMP_GT_OQ))) state = _mm256_mul_pd(state, _mm256_set1_pd(0.4));
    }
    _mm256_storeu_pd(y, state);
}
AD_FUNCTIONAL(plain)
AD_FUNCTIONAL(extremes)
AD_FUNCTIONAL(neighbours)
AD_FUNCTIONAL(choices)
AD_MAP(accesses)
AD_MAP(loop)

int main(void) {
    check_case exact[] = {CHECK_FUNCTIONAL(plain, 8), CHECK_FUNCTIONAL(choices, 8), CHECK_MAP(loop, 8, 4)};
    check_case partly_float[] = {CHECK_FUNCTIONAL(extremes, 8), CHECK_FUNCTIONAL(neighbours, 8), CHECK_MAP(accesses, 8, 8)};
    for (int i = 0; i < 3; i++) {
        exact[i].step = 1e-3;
        check_random_points(&exact[i], 3, 0.3, 0.9);
        partly_float[i].step = 1e-3;
        partly_float[i].tol_diff = 1e-3; /* float: 24 bits; differences over the small step lose half */
        partly_float[i].tol_dot = 1e-6;
        check_random_points(&partly_float[i], 3, 0.3, 0.9);
    }
    return check_done();
}
