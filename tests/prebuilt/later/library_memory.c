// link: -lfftw3 -lm
// needs: libfftw3.so
// ends: AD032
/* Memory that a library allocates and the program fills: fftw_malloc.
 * The compiler knows no shadow of what a prebuilt function returns. In tangent mode `adshadow_returned` gives
 * one; for a recording a function that only allocates (its name ends with malloc or alloc; or said by the user) would be made a malloc with a shadow. */
#include <fftw3.h>

#include "requests.h"

static double filled(const double *x) {
    fftw_complex *v = fftw_malloc(4 * sizeof *v);
    for (int i = 0; i < 4; i++) v[i][0] = x[i] * x[i], v[i][1] = x[0];
    fftw_plan plan = fftw_plan_dft_1d(4, v, v, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    double sum = v[1][0] * v[2][0] + v[1][1] * v[0][0];
    fftw_destroy_plan(plan), fftw_free(v);
    return sum;
}
AD_FUNCTIONAL(filled)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(filled, 4);
    check_random_points(&c, 2, 0.3, 1.2);
    return check_done();
}
