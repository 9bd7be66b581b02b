// ad-library: library_memory.c
// ad-static: yes
// ad-link: -lm
/* Memory that a library allocates and the program fills and reads: arrays of each kind of real, structs with pointers, lists, parts, what a handle has inside;
 * freed by the library and by the program. */
#include <stdlib.h>

#include "requests.h"

#include "lib/library_memory.h"

static double arrays(const double *x) {
    double *v = memory_array(5);
    v[1] = x[0] * x[1], v[3] += x[2] * v[1];
    double r = memory_weighted(v, 5) * v[3];
    memory_free(v);
    return r;
}
AD_FUNCTIONAL(arrays)
static double freed_here(const double *x) {
    double *v = memory_array(3);
    for (int i = 0; i < 3; i++) v[i] *= x[i];
    double r = memory_weighted(v, 3);
    free(v);
    return r * x[0];
}
AD_FUNCTIONAL(freed_here)
/* The same memory again and again. */
static double repeated(const double *x) {
    double r = 0;
    for (int k = 0; k < 5; k++) {
        double *v = memory_array(4);
        v[k & 3] = x[k % 3] * (1 + r);
        r += memory_weighted(v, 4) * 0.01;
        memory_free(v);
    }
    return r;
}
AD_FUNCTIONAL(repeated)
static double boxes(const double *x) {
    box *b = memory_box(4, x[0]);
    b->values[2] *= x[1];
    memory_double(b);
    b->scale += b->values[1] * x[2];
    double r = memory_total(b) * b->values[3] * (double)b->count;
    memory_delete(b);
    return r;
}
AD_FUNCTIONAL(boxes)
static double lists(const double *x) {
    box *b = memory_push(memory_push(memory_box(2, x[0]), 3, x[1]), 2, x[0] * x[2]);
    b->next->values[0] += x[2] * x[2];
    b->next->next->scale *= x[1];
    double r = memory_total(b) + b->next->values[2];
    memory_delete(b);
    return r;
}
AD_FUNCTIONAL(lists)
static double parts(const double *x) {
    box *b = memory_box(4, x[0]);
    double *at = memory_at(b, 2);
    at[0] *= x[1], at[-1] += x[2] * at[1];
    memory_double(b);
    double r = memory_total(b) + at[0] * at[-2];
    memory_delete(b);
    return r;
}
AD_FUNCTIONAL(parts)
static double handles(const double *x) {
    handle *h = memory_open(x[0]);
    double *v = memory_inside(h);
    v[0] *= x[1], v[3] += v[1] * x[2];
    return memory_close(h) * x[1];
}
AD_FUNCTIONAL(handles)
__attribute__((noinline)) static void fill(double *v, const double *x, int n) {
    for (int i = 0; i < n; i++) v[i] = x[i] * x[(i + 1) % n];
}
__attribute__((noinline)) static double ends(const box *b) { return b->values[0] * b->values[b->count - 1]; }
static double in_functions(const double *x) {
    double *v = memory_array(3);
    fill(v, x, 3);
    box *b = memory_box(3, x[1]);
    fill(b->values, x, 2);
    double r = memory_weighted(v, 3) + ends(b) * memory_total(b);
    memory_free(v), memory_delete(b);
    return r;
}
AD_FUNCTIONAL(in_functions)
static double wides(const double *x) {
    long double *v = memory_wides(3);
    for (int i = 0; i < 3; i++) v[i] = x[i] * x[i];
    long double r = memory_weighted_wides(v, 3) * v[1];
    memory_free(v);
    return (double)r;
}
AD_FUNCTIONAL(wides)
static double floats(const double *x) {
    float *v = memory_floats(3);
    for (int i = 0; i < 3; i++) v[i] = (float)(x[i] * x[i]);
    float r = memory_weighted_floats(v, 3) * v[1];
    memory_free(v);
    return r;
}
AD_FUNCTIONAL(floats)
static void floats_in_double(const double *x, double *y) {
    double v[3];
    for (int i = 0; i < 3; i++) v[i] = x[i] * x[i];
    y[0] = (v[0] * v[1] + 2 * v[1] * v[2] + 3 * v[2] * v[0]) * v[1];
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(arrays, 3), CHECK_FUNCTIONAL(freed_here, 3), CHECK_FUNCTIONAL(repeated, 3), CHECK_FUNCTIONAL(boxes, 3),
                          CHECK_FUNCTIONAL(lists, 3), CHECK_FUNCTIONAL(parts, 3), CHECK_FUNCTIONAL(handles, 3), CHECK_FUNCTIONAL(in_functions, 3),
                          CHECK_FUNCTIONAL(wides, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 1.2);
    check_case narrow = CHECK_FUNCTIONAL(floats, 3);
    narrow.smooth = floats_in_double;
    narrow.tol_diff = 1e-5, narrow.tol_dot = 1e-6; /* float: 24 bits */
    check_random_points(&narrow, 3, 0.3, 1.2);
    return check_done();
}
