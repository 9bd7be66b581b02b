// ad-library: long_double_kept.c
// ad-link: -lm
// ad-refused-by-some: AS004
/* Memory that holds either doubles or long doubles is copied to the library's own, and read there by a later call. */
#include "requests.h"

union number { long double wide; double halves[2]; };
void keep_numbers(const void *from);
double kept_product(double by);

static volatile int is_wide = 1;

static __attribute__((noinline)) void fill(void *to, const double *x) {
    union number *p = to;
    if (is_wide) p[0].wide = x[0], p[1].wide = x[1];
    else p[0].halves[0] = x[0], p[0].halves[1] = x[1], p[1].halves[0] = x[1], p[1].halves[1] = x[2];
}

static double product(const double *x) {
    void *numbers = calloc(2, sizeof(union number));
    fill(numbers, x);
    keep_numbers(numbers);
    free(numbers);
    return kept_product(x[2]);
}
AD_FUNCTIONAL(product)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(product, 3);
    check_random_points(&c, 2, 0.3, 0.9);
    return check_done();
}
