// ad-library: keeping.c
// ad-static: yes
// ad-link: -lm
/* The program reads constants beside what a library leaves in a workspace, and what it has written there itself. */
#include "requests.h"

typedef struct { double *values; long n; } room;
room *room_new(long n);
void room_put(const room *r, double x);
double room_get(const room *r, double x);

static __attribute__((noinline)) double with(const double *x, const room *r, double *scratch) {
    room_put(r, x[0] * x[1]);
    double y = room_get(r, x[2]) * r->values[3];
    r->values[1] = 0.5;
    scratch[0] = r->values[1];
    return y * x[3] * scratch[0];
}
static double beside_argument(const double *x, const room *r) {
    double scratch[1];
    return with(x, r, scratch) + r->values[0] * x[1];
}

int main(void) {
    room *workspace = room_new(4);
    for (int i = 0; i < 4; i++) workspace->values[i] = 0.5 + i;
    double x[4] = {0.7, 1.3, 0.4, 1.1}, dots[4] = {0.3, -1, 2, 0.5}, bars[4] = {0}, along = 0;
    double k = 0.5 * 3.5 * x[0] * x[1] * x[0] * x[1];
    double exact[4] = {2 * k / x[0] * x[2] * x[3], 2 * k / x[1] * x[2] * x[3] + 0.5, k * x[3], k * x[2]};
    __ad_adjoint_void((void *)beside_argument, ad_dup, x, bars, ad_const, workspace);
    for (int i = 0; i < 4; i++) {
        check_close("adjoint", bars[i], exact[i], 1e-14);
        along += exact[i] * dots[i];
    }
    check_close("tangent", __ad_tangent_double((void *)beside_argument, ad_dup, x, dots, ad_const, workspace), along, 1e-14);
    return check_done();
}
