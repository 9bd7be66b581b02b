// ad-library: basic.c
// ad-link: -lm
/* An array where no shadow memory is: no library meets it, so it is no matter. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include "requests.h"

double lib_sum(double x, double y);
static double work(const double *x) { return x[0] * lib_sum(x[1], x[0] * x[1]); }

int main(void) {
    double *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    check_true("mapped", x != MAP_FAILED);
    x[0] = 0.7, x[1] = 1.3;
    double *y = malloc(2 * sizeof *y), *bars = x + 16, *others = calloc(2, sizeof *others), dots[2] = {1, -2};
    y[0] = x[0], y[1] = x[1];
    __ad_adjoint_void((void *)work, x, bars);
    __ad_adjoint_void((void *)work, y, others);
    for (int i = 0; i < 2; i++) check_close("as elsewhere", bars[i], others[i], 1e-15);
    check_close("tangent", __ad_tangent_double((void *)work, x, dots), others[0] - 2 * others[1], 1e-13);
    check_true("a gradient", others[0] != 0 && others[1] != 0);
    free(y);
    free(others);
    return check_done();
}
