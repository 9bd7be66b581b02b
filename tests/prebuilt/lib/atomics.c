/* Numbers in atomic variables: one that compilers move as integers, as gcc does by the x87 unit on i386. */
#include <stdatomic.h>

static _Atomic double kept;
static _Atomic float narrow;

double atomic_copy(double x) {
    _Atomic double v = x;
    double y = v;
    atomic_store(&v, y * y);
    return atomic_load(&v) * y;
}
double atomic_exchanged(double x, double y) {
    atomic_store(&kept, x);
    double first = atomic_exchange(&kept, y * x);
    return first * atomic_load(&kept);
}
double atomic_float(double x) {
    atomic_store(&narrow, (float)x);
    return atomic_load(&narrow) * (float)x;
}
void atomic_scale(_Atomic double *v, int n, double by) {
    for (int i = 0; i < n; i++) atomic_store(v + i, atomic_load(v + i) * by);
}
