/* Numbers, arrays, structs, state, callbacks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

double lib_sum(double x, double y) { return x * y + exp(x) / (1 + y * y); }
float lib_float(float x, double y, float z) { return x * z + (float)y * sqrtf(x); }
double lib_ten(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j) {
    return a * b + c * d + e * f + g * h + i * j + a * j;
}
void lib_scale(double *v, int n, double s) {
    for (int i = 0; i < n; i++) v[i] *= s * (1 + v[i]);
}
void lib_smooth(const double *x, double *y, int n) {
    for (int i = 1; i < n - 1; i++) y[i] = 0.25 * x[i - 1] + 0.5 * x[i] * x[i] + 0.25 * x[i + 1];
    y[0] = x[0], y[n - 1] = fabs(x[n - 1]);
}
typedef struct { double a; int k; double b; } pair;
double lib_struct(const pair *p, pair *q) {
    q->a = p->a * p->b, q->k = p->k + 1, q->b = p->k * p->a;
    return p->a + q->b;
}
double lib_rows(double **rows, int n, int m) {
    double s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) s += rows[i][j] * (i + 1) * rows[n - 1 - i][j];
    return s;
}
double lib_apply(double (*f)(double, void *), void *context, double a, double b, int n) {
    double h = (b - a) / n, s = 0.5 * (f(a, context) + f(b, context));
    for (int i = 1; i < n; i++) s += f(a + i * h, context);
    return s * h;
}
static double kept[4];
static int used;
void lib_reset(void) { used = 0; memset(kept, 0, sizeof kept); }
void lib_push(double x) { kept[used++ & 3] += x * x; }
double lib_total(void) { return kept[0] * kept[1] + kept[2] + kept[3]; }
double *lib_new(int n) {
    double *p = malloc((size_t)n * sizeof *p);
    for (int i = 0; i < n; i++) p[i] = i;
    return p;
}
void lib_set(double *p, int i, double x) { p[i] = x; }
double lib_get(const double *p, int i) { return p[i]; }
void lib_delete(double *p) { free(p); }
double lib_select(double x, double y) { return x < y ? x * x : (x > 3 * y ? -y : fmax(x, 1.5) * copysign(y, -x)); }
static double power(double x, int n) { return n == 0 ? 1 : n & 1 ? x * power(x, n - 1) : power(x * x, n / 2); }
double lib_power(double x, int n) { return power(x, n); }
