/* Arguments and results of all shapes, whose derivatives are right; files, variables and the heap stay as they are.
   check-right: -DNOTHING
   check-compares: all (21), the result (1)
   check-compares: x (5), the result (1)
   check-compares: x (50), y (50)
   check-compares: (1), the result (2), in a request on 'rotate'
   check-compares: a (1), x (6), the result (1)
   check-compares: v (4), in a request on 'in_place'
   check-compares: in a request on 'several'
   check-compares: call of __ad_augmented_several */
#include <ad.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct body { int kind; double mass; float charge; double *position; int n; long double far; };
static double energy(struct body *all, int count) {
    double e = 0;
    for (int i = 0; i < count; i++) {
        if (all[i].kind == 1) e += all[i].mass;
        for (int k = 0; k < all[i].n; k++) e += all[i].mass * all[i].charge * all[i].position[k] * all[i].position[k];
        e += (double)(all[i].far * all[i].far);
    }
    return e;
}
void __ad_adjoint_energy(void *, ...);

static double global[5] = {1, 2, 3, 4, 5}, shadow[5], state;
static int calls;
static double sums(const double *x, int n) {
    double s = 0;
    calls++;
    for (int i = 0; i < n; i++) s += x[i] * x[i] * (i + 1);
    state = s;
    return state * exp(-s / 100) + calls;
}
void __ad_adjoint_sums(void *, ...);

static void heap(const double *x, double *y, int n) {
    double *t = malloc(n * sizeof *t);
    memcpy(t, x, n * sizeof *t);
    for (int i = 0; i < n; i++) y[i] = t[i] * t[(i + 1) % n];
    free(t);
}
void __ad_tangent_heap(void *, ...), __ad_adjoint_heap(void *, ...);

struct pair { double re, im; };
static struct pair rotate(struct pair p, double angle) {
    return (struct pair){p.re * cos(angle) - p.im * sin(angle), p.re * sin(angle) + p.im * cos(angle)};
}
struct pair __ad_tangent_rotate(void *, ...);

static float single(float a, const float *x, int n) {
    for (int i = 0; i < n; i++) a = a * 0.5f + sinf(x[i]);
    return a;
}
float __ad_adjoint_single(void *, ...);

static FILE *journal;
static void in_place(double *v, int n) {
    fprintf(journal, "in place\n");
    fflush(journal);
    printf("in place\n");
    for (int i = 1; i < n; i++) v[i] *= v[i - 1];
}
void __ad_adjoint_in_place(void *, ...);

static void several(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++) y[i] = x[i] * x[n - 1 - i];
}
void __ad_tangent_several(void *, ...), *__ad_augmented_several(void *, ...), __ad_reverse_several(void *, ...);

/* Without a derivative at 0. */
static double kink(double x) { return x < 0 ? -x : 2 * x; }
double __ad_adjoint_kink(void *, ...);

int main(void) {
    struct body b[3], bb[3];
    memset(bb, 0, sizeof bb);
    for (int i = 0; i < 3; i++) {
        b[i] = (struct body){i, 1.5 + i, 0.3f, malloc(4 * sizeof(double)), 4, 2.0L + i};
        bb[i].position = calloc(4, sizeof(double));
        for (int k = 0; k < 4; k++) b[i].position[k] = 0.1 * k + i;
    }
    __ad_adjoint_energy((void *)energy, b, bb, 3);
    printf("%g %g %g\n", bb[1].mass, (double)bb[1].charge, bb[2].position[3]);
    __ad_adjoint_sums((void *)sums, global, shadow, 5);
    printf("%g %d %g\n", shadow[3], calls, state);
    int n = 50;
    size_t bytes = n * sizeof(double);
    double *x = malloc(bytes), *xd = malloc(bytes), *y = malloc(bytes), *yd = malloc(bytes);
    for (int i = 0; i < n; i++) x[i] = sin(i), xd[i] = 1, yd[i] = 0;
    __ad_tangent_heap((void *)heap, x, xd, y, yd, n);
    printf("%g\n", yd[7]);
    __ad_adjoint_heap((void *)heap, x, xd, y, yd, n);
    printf("%g %g\n", xd[7], yd[7]);
    struct pair p = {1, 2}, pd = {0.5, 0.25}, r = __ad_tangent_rotate((void *)rotate, p, pd, 0.3, 1.0);
    printf("%g %g\n", r.re, r.im);
    float fx[6] = {1, 2, 3, 4, 5, 6}, fb[6] = {0};
    printf("%g\n", (double)__ad_adjoint_single((void *)single, 0.7f, fx, fb, 6));
    double v[4] = {1.1, 1.2, 1.3, 1.4}, vb[4] = {0, 0, 0, 1};
    journal = fopen("journal", "w");
    fprintf(journal, "begin\n");
    for (int i = 0; i < 5; i++) __ad_adjoint_in_place((void *)in_place, v, vb, 4);
    fclose(journal);
    printf("%g %g\n", vb[0], v[3]);
    double e[7] = {0, 1}, d[7] = {1, 1}, s[7] = {3, 1, 4, 1, 5, 9, 2}, t[7], td[7], te[7];
    __ad_tangent_several((void *)several, ad_width, 2, s, d, e, t, td, te, 7);
    printf("%g %g\n", td[6], te[5]);
    void *tape = __ad_augmented_several((void *)several, s, d, t, td, 7);
    __ad_reverse_several((void *)several, s, d, t, td, 7, tape);
    printf("%g\n", d[3]);
    printf("%g\n", __ad_adjoint_kink((void *)kink, 0.0));
}
