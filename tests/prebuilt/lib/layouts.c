/* Structs that mix integers, reals of several widths and pointers. */
#include "layouts.h"

#include <math.h>

double layouts_solve(const settings *s, double x) {
    double y = x;
    int most = s->most ? s->most : 3;
    if (s->verbose) y *= 2;
    for (int i = 0; i < most; i++) {
        y -= s->damping * (y * y - x) / (1 + s->tolerance * y);
        if (s->work && i < 2) s->work[i] += y * s->limit;
    }
    return y + (s->steps + s->level) * s->tolerance + (s->flags[0] ^ s->flags[1]) * x;
}
void layouts_adjust(settings *s, double by) {
    s->most += s->verbose + 1, s->steps++, s->level = s->flags[1];
    s->tolerance *= by, s->damping *= s->limit;
    s->flags[0] |= 1;
}
double layouts_marks(const marks *m) {
    double r = m->total;
    for (long i = 0; i < m->count; i++) r += m->marks[i].kind == 0 ? m->marks[i].at * m->marks[i].weight : m->marks[i].weight * m->marks[i].weight;
    return r;
}
double layouts_all(const mark *m, int n) {
    double r = 0;
    for (int i = 0; i < n; i++) r += m[i].weight * (m[i].kind ? m[i].at : 1) * (i + 1);
    return r;
}
double layouts_either(const either *e, int n) {
    double r = 0;
    for (int i = 0; i < n; i++) r += e[i].tag ? e[i].as.real * (i + 1) : (double)e[i].as.whole;
    return r;
}
static settings *linked;
static marks *linked_marks;
void layouts_link(settings *s, marks *m) { linked = s, linked_marks = m; }
double layouts_linked(double x) { return layouts_solve(linked, x) * layouts_marks(linked_marks); }
