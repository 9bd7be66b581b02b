/* Blocks that hold a real at one time, an integer and a float at another: what a word's shadow tells of the real, it
 * tells of the float, too, and nobody may take it for the integer's.
 * ad-levels: O1 O2 O3
 * ad-i386: none, integers where reals may lie are refused where an address has four bytes */
#include "requests.h"

typedef struct { int count; float weight; } counted;

static __attribute__((noinline)) double twice(const int *count) { return *count * 2.0; }
static __attribute__((noinline)) void put_real(void *to, double value) { *(double *)to = value; }
static __attribute__((noinline)) double real_of(const void *from) { return *(const double *)from; }
static __attribute__((noinline)) void put_counted(void *to, int count, float weight) {
    counted *c = to;
    c->count = count, c->weight = weight;
}
static __attribute__((noinline)) float weight_of(const void *from) { return ((const counted *)from)->weight; }

static double weighted(const double *x) {
    void *items[8];
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        items[i] = malloc(sizeof(double));
        if (i % 3 == 1) put_counted(items[i], i + 1, (float)(x[i % 4] * x[0]));
        else put_real(items[i], x[i % 4] * x[1]);
    }
    for (int i = 0; i < 8; i++) {
        if (i % 3 == 1) {
            float weight = weight_of(items[i]);
            sum += twice(items[i]) * weight * weight + weight_of(items[i]) * x[2];
        } else sum += real_of(items[i]) * real_of(items[i]);
    }
    for (int i = 0; i < 8; i++) free(items[i]);
    return sum;
}
AD_FUNCTIONAL(weighted)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(weighted, 4)};
    cases[0].tol_diff = 1e-3, cases[0].tol_dot = 1e-6;
    check_random_points(&cases[0], 3, 0.2, 0.6);
    return check_done();
}
