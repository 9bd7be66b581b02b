/* Memory that the library allocates and its callers use. */
#ifndef LIBRARY_MEMORY_H
#define LIBRARY_MEMORY_H

typedef struct box { double scale, *values; long count; struct box *next; } box;
typedef struct handle handle;

double *memory_array(int n);
float *memory_floats(int n);
long double *memory_wides(int n);
double memory_weighted(const double *v, int n);
float memory_weighted_floats(const float *v, int n);
long double memory_weighted_wides(const long double *v, int n);
void memory_free(void *p);
/* A box with x, x^2, ... */
box *memory_box(int n, double x);
box *memory_push(box *first, int n, double x);
double memory_total(const box *b);
void memory_double(box *b);
void memory_delete(box *b);
/* The i-th value of a box. */
double *memory_at(box *b, int i);
handle *memory_open(double x);
double *memory_inside(handle *h);
double memory_close(handle *h);

#endif
