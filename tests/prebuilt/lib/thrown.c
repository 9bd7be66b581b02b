/* Squares, by an object, for callers that leave by exceptions. */
#include <stdlib.h>

struct squares { int at; double *values; };
struct squares *thrown_new(int n) {
    struct squares *s = malloc(sizeof *s);
    s->at = 0, s->values = calloc(n, sizeof *s->values);
    return s;
}
void thrown_add(struct squares *s, double x) { s->values[s->at++] = x; }
double thrown_sum(const struct squares *s) {
    double sum = 0;
    for (int i = 0; i < s->at; i++) sum += s->values[i] * s->values[i];
    return sum;
}
void thrown_free(struct squares *s) { free(s->values), free(s); }
