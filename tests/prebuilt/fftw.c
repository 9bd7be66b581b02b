// ad-link: -lfftw3 -lm
// ad-needs: libfftw3.so
/* FFTW: plans made inside and outside of what is differentiated, transforms of complex and real numbers. */
#include <fftw3.h>

#include "requests.h"

enum { N = 12 };
static double spectrum(const double *x) {
    fftw_complex in[N], out[N];
    fftw_plan plan = fftw_plan_dft_1d(N, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < N; i++) in[i][0] = x[i % 6] * x[i % 4], in[i][1] = x[(i + 1) % 6];
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    double sum = 0;
    for (int k = 0; k < N; k++) sum += (out[k][0] * out[k][0] + out[k][1] * out[k][1]) / (k + 1);
    return sum;
}
AD_FUNCTIONAL(spectrum)
static fftw_plan kept;
static void outside(const double *x, double *y) {
    fftw_complex in[N], out[N];
    for (int i = 0; i < N; i++) in[i][0] = x[i * i % 5] * x[5], in[i][1] = x[0] * x[i % 5];
    fftw_execute_dft(kept, in, out);
    for (int k = 0; k < 6; k++) y[k] = out[k][0] * out[k + 1][1];
}
AD_MAP(outside)
static void real(const double *x, double *y) {
    double *in = malloc(16 * sizeof *in);
    fftw_complex *out = malloc(9 * sizeof *out);
    fftw_plan there = fftw_plan_dft_r2c_1d(16, in, out, FFTW_ESTIMATE), back = fftw_plan_dft_c2r_1d(16, out, in, FFTW_ESTIMATE);
    for (int i = 0; i < 16; i++) in[i] = x[i % 6] * (i + 1);
    fftw_execute(there);
    for (int k = 0; k < 9; k++) out[k][0] *= x[k % 6], out[k][1] /= 1 + k;
    fftw_execute(back);
    for (int i = 0; i < 6; i++) y[i] = in[i] / 16;
    fftw_destroy_plan(there), fftw_destroy_plan(back);
    free(in), free(out);
}
AD_MAP(real)
static void cosines(const double *x, double *y) {
    double in[9], out[9];
    fftw_plan plan = fftw_plan_r2r_1d(9, in, out, FFTW_REDFT00, FFTW_ESTIMATE);
    for (int i = 0; i < 9; i++) in[i] = x[i % 6] * x[i % 6];
    fftw_execute(plan);
    for (int i = 0; i < 6; i++) y[i] = out[i] * out[i];
    fftw_destroy_plan(plan);
}
AD_MAP(cosines)

int main(void) {
    fftw_complex in[N], out[N];
    kept = fftw_plan_dft_1d(N, in, out, FFTW_BACKWARD, FFTW_ESTIMATE | FFTW_UNALIGNED);
    check_case cases[] = {CHECK_FUNCTIONAL(spectrum, 6), CHECK_MAP(outside, 6, 6), CHECK_MAP(real, 6, 6), CHECK_MAP(cosines, 6, 6)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 1.2);
    fftw_destroy_plan(kept);
    return check_done();
}
