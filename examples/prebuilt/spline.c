#include "spline.h"
#include <stdlib.h>
#include <string.h>

struct spline {
    int n;
    double *y, *m; /* ordinates, second derivatives */
};

spline *spline_through(const double *y, int n) {
    spline *s = malloc(sizeof *s);
    s->n = n;
    s->y = malloc(n * sizeof *s->y);
    s->m = calloc(n, sizeof *s->m);
    memcpy(s->y, y, n * sizeof *y);
    /* m[i-1] + 4 m[i] + m[i+1] = 6 (y[i-1] - 2 y[i] + y[i+1]), by elimination. */
    double *pivot = malloc(n * sizeof *pivot);
    for (int i = 1; i + 1 < n; i++) {
        s->m[i] = 6.0 * (y[i - 1] - 2.0 * y[i] + y[i + 1]);
        pivot[i] = 4.0;
        if (i > 1) {
            pivot[i] -= 1.0 / pivot[i - 1];
            s->m[i] -= s->m[i - 1] / pivot[i - 1];
        }
    }
    for (int i = n - 2; i > 0; i--) s->m[i] = (s->m[i] - s->m[i + 1]) / pivot[i];
    free(pivot);
    return s;
}

double spline_value(const spline *s, double x) {
    int i = x < 0.0 ? 0 : (int)x;
    if (i > s->n - 2) i = s->n - 2;
    double t = x - i, u = 1.0 - t;
    return u * s->y[i] + t * s->y[i + 1] + ((u * u * u - u) * s->m[i] + (t * t * t - t) * s->m[i + 1]) / 6.0;
}

void spline_free(spline *s) {
    free(s->y);
    free(s->m);
    free(s);
}
