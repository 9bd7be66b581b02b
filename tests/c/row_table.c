/* Rows of a table of pointers that lead into one array, each at its own place: the second element of one row is the first
 * of another. */
#include "requests.h"

enum { N = 5, ROWS = 3 };

static double overwritten(double **restrict rows, int i, int k) {
    double *a = rows[i], *b = rows[k];
    double t = b[1];
    double r = t * t * t;
    a[0] = 7.0;
    return r * b[0];
}

/* Windows of one series: each step smooths one and looks at the next. */
static double windows(double **restrict rows, int n) {
    double sum = 0.0;
    for (int i = 0; i + 1 < n; i++) {
        double *a = rows[i], *b = rows[i + 1];
        sum += a[0] * a[1] * b[1];
        b[0] = b[0] * b[1];
    }
    return sum;
}

/* Pointers kept where another row sees them. */
static double redirected(double ***restrict tables, int i, int k, double *restrict x) {
    tables[i][0] = x;
    double *p = tables[k][1];
    double t = *p;
    double r = t * t * t;
    *x = 2.0;
    return r;
}

#define MAP(f, call)                                                                           \
    static void f##_map(const double *x, double *y) {                                          \
        double copy[N], *rows[ROWS];                                                           \
        memcpy(copy, x, sizeof copy);                                                          \
        for (int i = 0; i < ROWS; i++) rows[i] = copy + i;                                     \
        y[0] = f call;                                                                         \
    }                                                                                          \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {        \
        double copy[N], dot[N], *rows[ROWS], *dots[ROWS];                                      \
        memcpy(copy, x, sizeof copy), memcpy(dot, xd, sizeof dot);                             \
        for (int i = 0; i < ROWS; i++) rows[i] = copy + i, dots[i] = dot + i;                  \
        (void)y;                                                                               \
        yd[0] = __ad_tangent_double((void *)f, REQUEST_##f(rows, dots));                       \
    }                                                                                          \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {              \
        double copy[N], bar[N] = {0}, *rows[ROWS], *bars[ROWS];                                \
        memcpy(copy, x, sizeof copy);                                                          \
        for (int i = 0; i < ROWS; i++) rows[i] = copy + i, bars[i] = bar + i;                  \
        (void)y, (void)yb;                                                                     \
        __ad_adjoint_void((void *)f, REQUEST_##f(rows, bars));                                 \
        for (int i = 0; i < N; i++) xb[i] += bar[i];                                           \
    }
#define REQUEST_overwritten(rows, shadows) rows, shadows, 1, 0
#define REQUEST_windows(rows, shadows) rows, shadows, ROWS
MAP(overwritten, (rows, 1, 0))
MAP(windows, (rows, ROWS))

static void check_redirected(void) {
    double x = 3.0, xd = 1.0, xb = 0.0, other = 5.0, zero = 0.0, *cells[3] = {&other, &other, &other}, *shadows[3] = {&zero, &zero, &zero};
    double **tables[2] = {cells + 1, cells}, **shadow_tables[2] = {shadows + 1, shadows};
    check_close("redirected: tangent", __ad_tangent_double((void *)redirected, tables, shadow_tables, 0, 1, &x, &xd), 27.0, 1e-14);
    cells[1] = &other, shadows[1] = &zero, x = 3.0;
    __ad_adjoint_void((void *)redirected, tables, shadow_tables, 0, 1, &x, &xb);
    check_close("redirected: adjoint", xb, 27.0, 1e-14);
    check_close("redirected: the other", zero, 0.0, 0.0);
}

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(overwritten, N), CHECK_FUNCTIONAL(windows, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 3, 0.5, 1.5);
    check_redirected();
    return check_done();
}
