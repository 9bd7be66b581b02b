/* A loop copies words and sums them up, of reals and of integers: that a sum is one of a real's bits shows when the program runs.
 * So does it that a part of a pointer is copied.
 * ad-flags: -g
 * ad-levels: O1 O2 O3
 * ad-i386: none, addresses of four bytes look like floats */
#include "ending.h"
#include "requests.h"

static int first = 1;
static long check = 0;
__attribute__((noinline)) static long copy_and_sum(long *to, long *from, int n) {
    long sum = 0;
    for (int k = 0; k < n; k++) {
        long word = from[k];
        to[k] = word;
        sum += word;
    }
    return sum;
}
static double model(const double *x) {
    long counts[4] = {1, 2, 3, 4}, other_counts[4];
    double values[4] = {x[0] * x[1], x[1], x[2] * x[0], x[0]}, other_values[4];
    void *in[2] = {counts, values}, *out[2] = {other_counts, other_values};
    for (int k = 0; k < 2; k++) check += copy_and_sum(out[(k + first) % 2], in[(k + first) % 2], 4);
    return other_values[0] * other_values[1] + other_values[2] * other_values[3] * other_counts[2];
}

typedef int __attribute__((may_alias)) part;
struct reference {
    double *of;
    double weight;
};
__attribute__((noinline)) static void copy_parts(struct reference *to, const struct reference *from) {
    ((part *)to)[0] = ((const part *)from)[0];
    ((part *)to)[1] = ((const part *)from)[1];
    to->weight = from->weight;
}
static double parts(const double *x) {
    double product = x[0] * x[1], other = x[2] * x[2];
    struct reference from = {&product, x[2]}, to = {first ? &other : 0, 0.0};
    copy_parts(&to, &from);
    return *to.of * to.weight;
}

AD_FUNCTIONAL(model)
AD_FUNCTIONAL(parts)

int main(void) {
    const double x[3] = {1.5, 2.5, 3.5};
    check_case c = CHECK_FUNCTIONAL(model, 3);
    check_case_ends("sums, tangent", &c, x, 0, "AD221", "sums_refused.c:14");
    check_case_ends("sums, adjoint", &c, x, 1, "AD221", "sums_refused.c:14");
    check_case halves = CHECK_FUNCTIONAL(parts, 3);
    check_case_ends("parts, adjoint", &halves, x, 1, "AD220", "a part of a pointer is copied");
    return check_done();
}
