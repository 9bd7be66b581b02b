/* Split mode with structs and complex numbers by value: what the forward sweep returns, what the reverse sweep takes and returns. */
#include "ad.h"
#include "check.h"
#include <complex.h>

typedef struct { double a, b; } pair;
typedef struct { double d[5]; } five;
typedef struct { double *p; double w; int n; } weighted;
typedef double _Complex z64;

extern void __ad_reverse_void(void *, ...);
extern pair __ad_reverse_pair(void *, ...);
extern z64 __ad_reverse_z64(void *, ...);
typedef struct { void *tape; pair value; } taped_pair;
extern taped_pair __ad_augmented_pair(void *, ...);
typedef struct { void *tape; five value; } taped_five;
extern taped_five __ad_augmented_five(void *, ...);
typedef struct { void *tape; z64 value; } taped_z64;
extern taped_z64 __ad_augmented_z64(void *, ...);
typedef struct { five d; double t; } of_spread;
extern of_spread __ad_reverse_spread(void *, ...);

static pair turn(pair p, int n) {
    for (int i = 0; i < n; i++) p = (pair){p.a * p.b, p.a + sin(p.b)};
    return p;
}
static five spread(five f, double t) {
    for (int i = 1; i < 5; i++) f.d[i] *= f.d[i - 1] * t;
    return f;
}
static double weigh(weighted m) {
    double sum = 0;
    for (int i = 0; i < m.n; i++) {
        sum += m.p[i] * m.w * m.w;
        m.p[i] = sum;
    }
    return sum;
}
static z64 power(z64 z, int n) {
    z64 y = 1;
    for (int i = 0; i < n; i++) y *= z;
    return y;
}

int main(void) {
    pair p = {0.7, 1.3}, seed = {2, -1};
    taped_pair first = __ad_augmented_pair((void *)turn, p, 3), second = __ad_augmented_pair((void *)turn, (pair){1, 1}, 1);
    pair value = turn(p, 3);
    check_close("value", first.value.a, value.a, 0);
    check_close("value", first.value.b, value.b, 0);
    pair bar = __ad_reverse_pair((void *)turn, p, 3, seed, first.tape), other = __ad_reverse_pair((void *)turn, p, 1, seed, second.tape);
    double h = 1e-5;
    pair up = turn((pair){p.a + h, p.b}, 3), down = turn((pair){p.a - h, p.b}, 3);
    check_close("differences", bar.a, (2 * (up.a - down.a) - (up.b - down.b)) / (2 * h), 1e-7);
    up = turn((pair){p.a, p.b + h}, 3), down = turn((pair){p.a, p.b - h}, 3);
    check_close("differences", bar.b, (2 * (up.a - down.a) - (up.b - down.b)) / (2 * h), 1e-7);
    check_close("another tape", other.a, 2 * 1 - 1, 1e-15);
    check_close("another tape", other.b, 2 * 1 - cos(1), 1e-15);

    five f = {{1, 2, 3, 4, 5}};
    taped_five in_memory = __ad_augmented_five((void *)spread, f, 0.5);
    check_close("in memory", in_memory.value.d[4], 120 * 0.0625, 0);
    of_spread q = __ad_reverse_spread((void *)spread, f, 0.5, (five){{0, 0, 0, 0, 1}}, in_memory.tape);
    for (int i = 0; i < 5; i++) check_close("in memory, adjoint", q.d.d[i], 7.5 / f.d[i], 1e-15);
    check_close("in memory, number", q.t, 60, 1e-15);

    double x[2] = {3, 4}, xb[2] = {0};
    weighted m = {x, 2, 2}, mb = {xb, 10, 0};
    void *tape = __ad_augmented((void *)weigh, m, &mb);
    check_close("in place", x[1], 28, 0);
    m.w = 1e9; /* the tape remembers */
    __ad_reverse_void((void *)weigh, m, &mb, 1.0, tape);
    check_close("shadow", xb[0], 4, 0);
    check_close("shadow", xb[1], 4, 0);
    check_close("shadow of the number", mb.w, 10 + 4 * 7, 0);

    z64 z = 1 + 2 * I;
    taped_z64 y = __ad_augmented_z64((void *)power, z, 3);
    check_close("complex", cimag(y.value), -2, 0);
    z64 zb = __ad_reverse_z64((void *)power, z, 3, (z64)1, y.tape), want = 3 * z * z;
    check_close("complex, adjoint", creal(zb), creal(want), 1e-15);
    check_close("complex, adjoint", cimag(zb), -cimag(want), 1e-15);
    return check_done();
}
