// ad-library: library_memory.c
// ad-link: -lm
/* Memory of a library in tapes: two that are open at once, and the same gradient many times over. */
#include "requests.h"
#include "lib/library_memory.h"
extern void *__ad_augmented(void *, ...);
extern double __ad_reverse(void *, ...);
static double f(double x) {
    box *b = memory_box(3, x);
    double *v = memory_array(3);
    v[0] = x * x, v[2] *= b->values[1];
    memory_double(b);
    b->values[0] *= v[2];
    double r = memory_total(b) + memory_weighted(v, 3) * b->values[0];
    memory_delete(b), memory_free(v);
    return r;
}
AD_VALUE(f)
int main(void) {
    check_case c = CHECK_VALUE(f);
    check_random_points(&c, 2, 0.3, 1.2);
    double alone = __ad_adjoint_double((void *)f, 0.5), other = __ad_adjoint_double((void *)f, 0.9);
    void *first = __ad_augmented((void *)f, 0.5), *second = __ad_augmented((void *)f, 0.9);
    check_close("the second", __ad_reverse((void *)f, 0.9, 1.0, second), other, 1e-14);
    check_close("the first", __ad_reverse((void *)f, 0.5, 1.0, first), alone, 1e-14);
    for (int i = 0; i < 200; i++) check_close("again", __ad_adjoint_double((void *)f, 0.5), alone, 1e-14);
    return check_done();
}
