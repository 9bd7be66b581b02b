// ad-library: library_memory.c
// ad-link: -lm
// ad-refused-by-some: AS013
/* Memory of a library that is looked at by another function than the one that it was returned to: nothing says there that it needs a shadow of its own. */
#include "requests.h"

#include "../lib/library_memory.h"

__attribute__((noinline)) static double *make(int n) { return n > 100 ? make(n / 2) : memory_array(n); }
static double far(const double *x) {
    double *v = make(3);
    for (int i = 0; i < 3; i++) v[i] *= x[i];
    double r = memory_weighted(v, 3);
    memory_free(v);
    return r;
}
AD_FUNCTIONAL(far)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(far, 3);
    check_random_points(&c, 2, 0.3, 1.2);
    return check_done();
}
