/* Calls that are given nothing active, beside active memory: a table, fresh memory from the heap, a local array of constants
 * that a recursion overwrites. What they return is inactive, whatever their summary says that it depends on.
 * ad-option: -ad-disable=inlining */
#include "requests.h"

static const double table[4] = {0.6, 0.2, 1.2, 0.9};

__attribute__((noinline)) static double looked_up(double where) {
    return table[(int)(4.0 * where) & 3];
}
__attribute__((noinline)) static double fresh(int n) {
    double *heap = malloc((size_t)n * sizeof *heap);
    for (int i = 0; i < n; i++) heap[i] = 0.25 + i;
    double last = heap[n - 1];
    free(heap);
    return last;
}
__attribute__((noinline)) static double halves(double *w, int depth) {
    if (depth == 0) return table[(int)w[0] & 3] * w[0];
    w[0] = 0.5 * halves(w, depth - 1) + table[depth & 3];
    w[1] = halves(w, depth - 1);
    return w[0];
}
static double mixed(const double *x) {
    double w[2] = {1.0, 2.0};
    double a = sin(looked_up(0.3)) * x[0];
    double b = (1.0 - fresh(3)) * x[1];
    double c = halves(w, 2);
    return a * b + c * w[0] * x[1] + w[1];
}
AD_FUNCTIONAL(mixed)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(mixed, 2);
    check_random_points(&c, 3, 0.4, 1.2);
    return check_done();
}
