// ad-library: structs.c
// ad-link: -lm
/* Functions that see a part of an object only: integers of a struct with reals, reals of a struct with pointers; what they pass on to a library is all of it. */
#include "requests.h"

#include "lib/structs.h"

__attribute__((noinline)) static double by_integers(series *s) {
    s->count = 2;
    return structs_sum(s);
}
static double integers(const double *x) {
    double v[2] = {x[0], x[1] * x[2]};
    series s = {x[1], 0, 1, v, {1, 1}, x[0]};
    return by_integers(&s);
}
AD_FUNCTIONAL(integers)
__attribute__((noinline)) static double by_reals(series *s) {
    s->weight *= 2;
    return structs_sum(s);
}
static double reals(const double *x) {
    double v[2] = {x[0], x[1]};
    series s = {x[2], 2, 1, v, {1, 1}, x[0]};
    return by_reals(&s);
}
AD_FUNCTIONAL(reals)
static double on_heap(const double *x) {
    double *v = malloc(2 * sizeof *v);
    triple *t = malloc(sizeof *t);
    t->y = x[1], v[0] = x[0], v[1] = t->y;
    series s = structs_series(v, 2, x[2]);
    double r = by_reals(&s) * v[0];
    free(v), free(t);
    return r;
}
AD_FUNCTIONAL(on_heap)
/* The object is the caller's who asks. */
static double only_integers(series *s) {
    s->count = 2;
    return structs_sum(s);
}
static double only_reals(series *s) {
    s->weight *= 2;
    return structs_sum(s);
}
static void of_caller(const char *name, double (*f)(series *)) {
    double *v = check_alloc(2), *vd = check_alloc(2), *vb = check_alloc(2), *w = check_alloc(2);
    v[0] = w[0] = 0.5, v[1] = w[1] = 0.6, vd[0] = 1, vd[1] = -1, vb[0] = vb[1] = 0;
    series s = {0.7, 2, 1, v, {1, 1}, 0.3}, sd = {2, 0, 0, vd, {0, 0}, 1}, sb = {0, 0, 0, vb, {0, 0}, 0}, t = s;
    t.values = w;
    double dot = f == only_reals ? __ad_tangent_double((void *)only_reals, &s, &sd) : __ad_tangent_double((void *)only_integers, &s, &sd);
    if (f == only_reals)
        __ad_adjoint_void((void *)only_reals, &t, &sb);
    else
        __ad_adjoint_void((void *)only_integers, &t, &sb);
    double twice = f == only_reals ? 2 : 1, squares = 0.25 + 0.36;
    check_close(name, dot, twice * (2 * squares + 0.7 * 2 * (0.5 - 0.6)) + 1, 1e-14);
    check_close(name, sb.weight, twice * squares, 1e-14);
    check_close(name, vb[1], twice * 0.7 * 2 * 0.6, 1e-14);
    check_close(name, sb.offset, 1, 1e-14);
    free(v), free(vd), free(vb), free(w);
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(integers, 3), CHECK_FUNCTIONAL(reals, 3), CHECK_FUNCTIONAL(on_heap, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 1.2);
    of_caller("integers", only_integers);
    of_caller("reals", only_reals);
    return check_done();
}
