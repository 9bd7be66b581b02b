/* Memory that the library allocates and its callers use. */
#include "library_memory.h"

#include <math.h>
#include <stdlib.h>

double *memory_array(int n) {
    double *v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; i++) v[i] = i + 1;
    return v;
}
float *memory_floats(int n) { return calloc((size_t)n, sizeof(float)); }
long double *memory_wides(int n) { return calloc((size_t)n, sizeof(long double)); }
double memory_weighted(const double *v, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += v[i] * v[(i + 1) % n] * (i + 1);
    return s;
}
float memory_weighted_floats(const float *v, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += v[i] * v[(i + 1) % n] * (float)(i + 1);
    return s;
}
long double memory_weighted_wides(const long double *v, int n) {
    long double s = 0;
    for (int i = 0; i < n; i++) s += v[i] * v[(i + 1) % n] * (i + 1);
    return s;
}
void memory_free(void *p) { free(p); }
box *memory_box(int n, double x) { return memory_push(NULL, n, x); }
box *memory_push(box *first, int n, double x) {
    box *b = malloc(sizeof *b);
    b->scale = 1 + x * 0.5, b->count = n, b->next = first;
    b->values = malloc((size_t)n * sizeof *b->values);
    b->values[0] = x;
    for (int i = 1; i < n; i++) b->values[i] = b->values[i - 1] * x;
    return b;
}
double memory_total(const box *b) {
    double s = 0;
    for (; b; b = b->next)
        for (long i = 0; i < b->count; i++) s += b->scale * b->values[i] * (double)(i + 1);
    return s;
}
void memory_double(box *b) {
    for (long i = 0; i < b->count; i++) b->values[i] *= 2;
}
void memory_delete(box *b) {
    while (b) {
        box *next = b->next;
        free(b->values);
        free(b);
        b = next;
    }
}
double *memory_at(box *b, int i) { return b->values + i; }
struct handle { double x; double *inside; };
handle *memory_open(double x) {
    handle *h = malloc(sizeof *h);
    h->x = x;
    h->inside = malloc(4 * sizeof(double));
    for (int i = 0; i < 4; i++) h->inside[i] = sin(x + i);
    return h;
}
double *memory_inside(handle *h) { return h->inside; }
double memory_close(handle *h) {
    double r = h->x * h->inside[0] + h->inside[3];
    free(h->inside);
    free(h);
    return r;
}
