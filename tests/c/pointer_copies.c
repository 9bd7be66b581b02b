/* Arrays and structs that hold pointers, copied as a whole; copies of memory whose type only the caller knows. */
#include "requests.h"

enum { N = 4 };
typedef struct { double *p; double s; long n; } row;
typedef struct { double a; } one;

static double tables(const double *x) {
    double *t[N], *u[N], values[N], r = 0.0;
    for (int i = 0; i < N; i++) values[i] = x[i] * x[i], t[i] = values + i;
    memcpy(u, t, sizeof u);
    for (int i = 0; i < N; i++) r += u[i][0] * u[N - 1 - i][0] * (i + 1);
    return r;
}
static double rows(const double *x) {
    double values[N], r = 0.0;
    row a[2], b[2];
    for (int i = 0; i < N; i++) values[i] = sin(x[i]);
    for (int i = 0; i < 2; i++) a[i].p = values + 2 * i, a[i].s = x[i] * 3.0, a[i].n = i + 1;
    for (int i = 0; i < 2; i++) b[i] = a[1 - i];
    for (int i = 0; i < 2; i++) r += b[i].p[0] * b[i].s * (double)b[i].n + b[i].p[1];
    return r;
}
static double sorted(const double *x) {
    double values[N], *t[N], s = 0.0;
    for (int i = 0; i < N; i++) values[i] = x[i], t[i] = &values[i];
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++)
            if (*t[j] < *t[i]) { double *k = t[i]; t[i] = t[j]; t[j] = k; }
    for (int i = 0; i < N; i++) s += (i + 1) * *t[i] * *t[i];
    return s;
}
AD_FUNCTIONAL(tables)
AD_FUNCTIONAL(rows)
AD_FUNCTIONAL(sorted)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(tables, N), CHECK_FUNCTIONAL(rows, N), CHECK_FUNCTIONAL(sorted, N)};
    double x[N] = {0.9, 0.3, 0.7, 0.5};
    for (int i = 0; i < 3; i++) check_at(&cases[i], x), check_random_points(&cases[i], 2, 0.2, 1.4);
    return check_done();
}
