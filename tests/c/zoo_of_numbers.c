/* Integers of records, which become numbers in functions that get them as arguments: a copy of some of the
 * records may bring a real to their places, as far as the compiler knows.
 * ad-i386: none, integers where reals may lie are refused where an address has four bytes */
#include "requests.h"

typedef struct { double x; size_t k; } record;
typedef struct { record items[4]; short flag; double total; } pack;

static __attribute__((noinline)) double measure(double x, size_t k) { return x * x + 0.25 * (double)k; }
static __attribute__((noinline)) double scaled(double x, double y, size_t k) { return y * measure(x, k); }

static double of_counts(const double *x) {
    static volatile int four = 4;
    pack all = {0};
    record a[5] = {0};
    for (int i = 0; i < 4; i++) all.items[i].x = x[i % 3] * (i + 1), all.items[i].k = i;
    all.total = x[0];
    memcpy(a, &all, four * sizeof *a);
    double sum = 0;
    for (int i = 0; i < 5; i++) sum += (i + 1) * measure(a[i].x, a[i].k) + scaled(a[i].x, x[1], a[i].k);
    return sum;
}
AD_FUNCTIONAL(of_counts)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(of_counts, 3)};
    check_random_points(&cases[0], 3, 0.4, 1.6);
    return check_done();
}
