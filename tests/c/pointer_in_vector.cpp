// A number and a pointer that are loaded as one vector: LLVM widens the load of the number, and takes the pointer from that.
// ad-i386: none, pointers have four bytes there
#include "requests.h"

typedef double pair __attribute__((vector_size(16)));
typedef long words __attribute__((vector_size(16)));
typedef float quad __attribute__((vector_size(16)));

struct scaled {
    double factor;
    const double *data;
};
struct shifted {
    const double *data;
    double by;
};
struct weighted {
    float low, high;
    const double *data;
};

// The number is spread over a vector, as Eigen's packets are.
static pair times(const scaled &s, int at) {
    pair all = {s.factor, s.factor};
    return all * *(const pair *)(s.data + at);
}
static double spread(const double *x) {
    alignas(16) double constants[2] = {2, 3}, copy[2] = {x[0], x[1] * x[2]};
    scaled all[2] = {{x[2], copy}, {x[0] * x[1], constants}};
    pair sum = {0, 0};
    for (const scaled &s : all) sum += times(s, 0);
    return sum[0] + sum[1] * x[1];
}
// The program takes the pointer from the vector itself.
__attribute__((noinline)) double taken(const scaled *s) {
    pair whole = *(const pair *)s;
    const double *data = (const double *)((words)whole)[1];
    return whole[0] * data[0] + data[1];
}
static double apart(const double *x) {
    alignas(16) scaled s = {x[0] * x[1], x + 1};
    return taken(&s) * x[2];
}
// The pointer comes first, and constant memory is behind it.
static double behind(const double *x) {
    static const double table[2] = {0.5, 4};
    alignas(16) shifted s = {table, x[0] * x[0]};
    pair whole = *(const pair *)&s;
    return ((const double *)((words)whole)[0])[1] * whole[1] + x[1];
}
// Two short numbers lie beside it.
static double two(const double *x) {
    alignas(16) weighted w = {(float)x[0], 3, x};
    quad whole = *(const quad *)&w;
    const double *data = (const double *)((words)whole)[1];
    return whole[0] * data[1] + whole[1] * data[2];
}
// The vector is stored as a whole, too.
static double stored(const double *x) {
    alignas(16) scaled s = {x[0] * x[2], x}, other;
    pair whole = *(const pair *)&s;
    *(pair *)&other = whole;
    const double *data = (const double *)((words)whole)[1];
    return whole[0] * data[1] + other.factor * other.data[0];
}
static void two_smooth(const double *x, double *y) { y[0] = x[0] * x[1] + 3 * x[2]; }
AD_FUNCTIONAL(spread)
AD_FUNCTIONAL(apart)
AD_FUNCTIONAL(behind)
AD_FUNCTIONAL(two)
AD_FUNCTIONAL(stored)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(spread, 3), CHECK_FUNCTIONAL(apart, 3), CHECK_FUNCTIONAL(behind, 2),
                          CHECK_FUNCTIONAL(two, 3), CHECK_FUNCTIONAL(stored, 3)};
    cases[3].smooth = two_smooth, cases[3].tol_diff = cases[3].tol_dot = 1e-6;
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
