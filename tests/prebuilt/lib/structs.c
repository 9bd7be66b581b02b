/* Structs that are passed and returned in memory. */
#include "structs.h"

#include <math.h>
#include <string.h>

triple structs_cross(triple a, triple b) {
    triple c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}
double structs_norm(triple a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }
double structs_between(double a, int k, triple t, float f, double b, const double *p, widths w, long l, double c, series s) {
    double r = a * t.x + k * t.y * b + f * t.z + p[1] * (double)w.wide + w.narrow * w.small[1] + w.small[2] * l * c;
    return r + s.weight * s.values[s.count - 1] * s.scale + s.offset * s.marks[1];
}
double structs_consumed(large l, int n) {
    double r = 0;
    for (int i = 0; i < n; i++) {
        l.table[i] *= l.table[(i + 1) % n];
        r += l.table[i] * (i + l.used);
    }
    memset(l.table, 0, sizeof l.table);
    return r;
}
large structs_filled(double x, int n) {
    large l;
    memset(&l, 0, sizeof l);
    l.used = n;
    l.table[0] = x;
    for (int i = 1; i < n; i++) l.table[i] = l.table[i - 1] * sin(x + i);
    return l;
}
series structs_series(double *values, int n, double weight) {
    series s = {weight, n, 0.5f, values, {1, 2}, weight * values[0]};
    return s;
}
series structs_shifted(series s, double by) {
    for (int i = 0; i < s.count; i++) s.values[i] += by * s.weight;
    s.offset *= by;
    s.values++, s.count--;
    return s;
}
double structs_sum(const series *s) {
    double r = s->offset;
    for (int i = 0; i < s->count; i++) r += s->weight * s->values[i] * s->values[i] * s->scale;
    return r;
}
double structs_total(series s) { return structs_sum(&s); }
widths structs_widths(long double x, float y) {
    widths w = {x * x, (double)x * y, {y, y * y, (float)x}};
    return w;
}
triple structs_apply(triple (*f)(triple, void *), triple t, void *context) {
    triple once = f(t, context);
    once.x *= t.y;
    return f(once, context);
}
double structs_many(triple a, double r0, double r1, double r2, double r3, triple b, double r4, double r5, double r6, double r7, double r8, triple c) {
    return structs_norm(structs_cross(a, b)) * r0 + r1 * r2 * c.x + r3 * r4 * c.y + r5 * r6 * r7 * c.z + r8 * a.x * b.y;
}
outcome structs_outcome(double x, int n) {
    outcome o = {sin(x) * n, n + 1};
    return o;
}
counted structs_counted(counted c, double x) {
    c.value *= x, c.steps++;
    return c;
}
