// ad-library: keeping.c
// ad-link: -lm
// ad-refused-by-some: AS027
/* The same in an adjoint, where another function reads it, which is given nothing active. */
#include "requests.h"

typedef struct { double *values; long n; } room;
room *room_new(long n);
void room_put(const room *r, double x);

static __attribute__((noinline)) double total(const room *r) {
    double s = 0;
    for (long i = 0; i < r->n; i++) s += r->values[i];
    return s;
}
static __attribute__((noinline)) void put(const room *r, double x) { room_put(r, x * x); }
static double read(const double *x, const room *r) {
    put(r, x[0]);
    return total(r) * x[1];
}

int main(void) {
    room *r = room_new(4);
    double x[2] = {0.7, 1.3}, bars[2] = {0};
    __ad_adjoint_void((void *)read, ad_dup, x, bars, ad_const, r);
    check_close("adjoint", bars[0], 4 * x[0] * x[0] * x[0] * x[1], 1e-14);
    return check_done();
}
