/* Blocks in which an earlier owner has left addresses, that are handed out as they are. */
#include "left_over.h"

#include <stdlib.h>

box *lib_box(int n) {
    double *other = calloc(4, sizeof *other);
    double *volatile *old = malloc(sizeof(box));
    for (size_t i = 0; i < sizeof(box) / sizeof *old; i++) old[i] = other;
    free((void *)old);
    box *b = malloc(sizeof *b);
    b->data = calloc(n, sizeof *b->data);
    b->n = n;
    b->other = other;
    return b;
}
double lib_box_sum(const box *b) { return b->a * b->b + b->data[0] * b->a; }
void lib_box_set(box *b, double x) { b->b = x * x, b->data[0] = x; }
void lib_box_free(box *b) { free(b->data), free(b->other), free(b); }
