/* Positions as differences of pointers in bytes and in elements, of the same two pointers: a member's position is no multiple of
 * an element's size, and what is divided on one way says nothing of the other. */
#include "requests.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { N = 6 };
typedef struct { double a, b; int n; } item;

static double at(const item *base, const void *where, int whole) {
    if (whole) return base[(const item *)where - base].a; /* exactly divided */
    double y;
    memcpy(&y, (const char *)base + ((const char *)where - (const char *)base), sizeof y);
    return y;
}
static double positions(const double *x) {
    item *all = malloc(3 * sizeof(item));
    for (int i = 0; i < 3; i++) all[i].a = x[2 * i] * x[2 * i], all[i].b = x[2 * i + 1] * x[0], all[i].n = i;
    double y = 0;
    for (int i = 0; i < 3; i++) y += at(all, &all[i], 1) * (i + 1) + at(all, &all[i].b, 0) * at(all, &all[2 - i].a, 0);
    free(all);
    return y;
}
/* Moved by a number of bytes that is the position of a member. */
static double shifted(const double *x) {
    double *v = malloc(2 * N * sizeof(double));
    for (int i = 0; i < 2 * N; i++) v[i] = x[i % N] * (i + 1);
    double *third = v + 3;
    ptrdiff_t bytes = (char *)third - (char *)v;
    memmove(v, (char *)v + bytes, (size_t)((char *)(v + 2 * N) - (char *)third));
    double y = 0;
    for (int i = 0; i < 2 * N; i++) y += v[i] * v[i] * (i + 1);
    free(v);
    return y;
}
static __attribute__((noinline)) void close_gap(char *to, char *from, char *end) { memmove(to, from, (size_t)(end - from)); }
static double closed(const double *x) {
    item all[4];
    for (int i = 0; i < 4; i++) all[i] = (item){x[i] * x[i], x[i + 1] * x[i + 2], i};
    close_gap((char *)(all + 1), (char *)(all + 2), (char *)(all + 4));
    double y = 0;
    for (int i = 0; i < 3; i++) y += all[i].a * all[i].b * (all[i].n + 1);
    return y;
}

AD_FUNCTIONAL(positions)
AD_FUNCTIONAL(shifted)
AD_FUNCTIONAL(closed)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(positions, N), CHECK_FUNCTIONAL(shifted, N), CHECK_FUNCTIONAL(closed, N)};
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 2, 0.3, 0.95);
    return check_done();
}
