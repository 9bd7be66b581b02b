// ad-library: keeping.c
// ad-link: -lm
// ad-refused-by-some: AS027
/* A library leaves an active value behind a pointer in an object that the program calls constant, and the program reads it there. */
#include "requests.h"

typedef struct { double *values; long n; } room;
room *room_new(long n);
void room_put(const room *r, double x);

static double read(const double *x, const room *r) {
    room_put(r, x[0]);
    return r->values[1] * x[1];
}

int main(void) {
    room *r = room_new(4);
    double x[2] = {0.7, 1.3}, dots[2] = {1, 0};
    check_close("tangent", __ad_tangent_double((void *)read, ad_dup, x, dots, ad_const, r), 2 * x[0] * x[1], 1e-14);
    return check_done();
}
