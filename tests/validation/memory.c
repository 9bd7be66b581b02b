/* Derivatives of the user's own through structs on the heap, below a recursion; and some that are missing.
   check-right: -DFACTOR=3
   check-notes: the adjoint of 'tree' cannot be made, and is not validated
   check-notes: the tangent of 'uses' cannot be made, and is not validated
   check-compares: x (7), the result (1)
   check-blames: -DFACTOR=2 | 'scale', defined at | memory.c:13, is wrong | 'only', defined at | memory.c:36, is wrong */
#include <ad.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct { int n; double *v; } vector;
static void scale(const vector *x, vector *y) {
    for (int i = 0; i < x->n; i++) y->v[i] = x->v[i] * x->v[i] * x->v[i];
}
static void scale_tangent(const vector *x, const vector *xd, vector *y, vector *yd) {
    scale(x, y);
    for (int i = 0; i < x->n; i++) yd->v[i] = FACTOR * x->v[i] * x->v[i] * xd->v[i];
}
void *__ad_register_tangent_scale[] = {(void *)scale, (void *)scale_tangent};

__attribute__((noinline)) static double tree(const double *x, int n) {
    if (n <= 2) {
        vector a = {n, malloc(n * sizeof(double))}, b = {n, malloc(n * sizeof(double))};
        for (int i = 0; i < n; i++) a.v[i] = x[i] + 1;
        scale(&a, &b);
        double s = 0;
        for (int i = 0; i < n; i++) s += b.v[i];
        free(a.v), free(b.v);
        return s;
    }
    return tree(x, n / 2) * tree(x + n / 2, n - n / 2);
}
double __ad_tangent_tree(void *, ...);

static double only(double x) { return FACTOR == 3 ? sin(x) : x * sin(x); }
static double only_augmented(double x) { return only(x); }
static double only_reverse(double x, double yb) { return cos(x) * yb; }
void *__ad_register_adjoint_only[] = {(void *)only, (void *)only_augmented, (void *)only_reverse};
static double uses(double x) { return only(x) * x; }
double __ad_adjoint_uses(void *, ...);

int main(void) {
    double x[7], d[7];
    for (int i = 0; i < 7; i++) x[i] = 0.1 * i + 0.5, d[i] = 1;
    printf("%g\n", __ad_tangent_tree((void *)tree, x, d, 7));
    printf("%g\n", __ad_adjoint_uses((void *)uses, 0.5));
}
